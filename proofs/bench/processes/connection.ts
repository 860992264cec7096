import net from 'node:net';

/** A request that is sent again and again, or once. */
export interface LoadRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Expected status, if it differs from that of the load. */
  expectStatus?: number;
}

/** A request as bytes; its head lacks the line that ends it. */
type Prepared = ReturnType<typeof prepare>;

const HEAD_END = Buffer.from('\r\n\r\n');

export function prepare({ method, path, headers, body = '', expectStatus }: LoadRequest, usualStatus: number) {
  const tail = Buffer.from(body);
  const all = { Host: 'bench.local', ...headers, ...(body === '' ? {} : { 'Content-Length': `${tail.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`, tail, expectStatus: expectStatus ?? usualStatus };
}

/** A kept connection with one request at a time, without an HTTP parser, because the client shares the machine with the service. */
export class Connection {
  readonly #socket: net.Socket;
  #received: Buffer | null = null;
  #answer: PromiseWithResolvers<number> | null = null;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#answer?.reject(error));
    socket.on('close', () => this.#answer?.reject(new Error('the connection was closed before the answer')));
  }

  static async open(port: number, localAddress?: string): Promise<Connection> {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true, ...(localAddress && { localAddress }) });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Connection(socket);
  }

  /** Sends a request and returns the status. Rejects for any but the expected one and those that are allowed besides. */
  async send({ head, tail, expectStatus }: Prepared, lines = '', allowed: readonly number[] = []): Promise<number> {
    this.#answer = Promise.withResolvers();
    this.#socket.cork();
    this.#socket.write(`${head}${lines}\r\n`, 'latin1');
    this.#socket.write(tail);
    this.#socket.uncork();
    const status = await this.#answer.promise;
    const text = this.#received?.toString('utf8').slice(0, 800);
    this.#received = null;
    if (status === expectStatus || allowed.includes(status)) return status;
    throw new Error(`answered ${status}: ${text}`);
  }

  close(): void {
    this.#answer = null;
    this.#socket.destroy();
  }

  /** Resolves the answer once its body is there. */
  #receive(chunk: Buffer): void {
    const received = this.#received === null ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) this.#answer?.reject(new Error(`no Content-Length in the answer: ${head}`));
    else if (received.length >= end + 4 + Number(length)) this.#answer?.resolve(Number(head.slice(9, 12)));
  }
}
