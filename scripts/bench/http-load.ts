import { randomBytes } from 'node:crypto';
import net from 'node:net';

/** A request that is sent again and again. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What to send, how, and for how long. */
export interface Load {
  /** Connections are spread over them. */
  ports: number[];
  /** Requests under way at once, one per connection. */
  connections: number;
  /** The client's addresses, spread over the connections; the first ones of 127.0.0.0/8. */
  addresses: number;
  /** Sent in turns. */
  requests: LoadRequest[];
  /** Gives every request an idempotency key of its own. */
  idempotent: boolean;
  expectStatus: number;
  warmUpMs: number;
  /** Ends after this time or this number of requests, whichever comes first. */
  windowMs: number;
  maxRequests?: number;
}

/** What came of it, after the warm-up. */
export interface LoadResult {
  perSecond: number;
  count: number;
  /** Answers in all, those of the warm-up included. */
  answered: number;
  /** Of each request, in milliseconds. */
  latencies: Float64Array;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Puts load on a server and measures every answer. Throws on any answer but the expected. */
export async function putLoad(load: Load): Promise<LoadResult> {
  const run = new Run(load);
  const connections = Array.from({ length: load.connections }, (_, index) => run.connect(index));
  return run.finish(connections);
}

class Run {
  readonly #load: Load;
  readonly #heads: { head: string; tail: Buffer }[];
  readonly #latencies: number[] = [];
  readonly #prefix = randomBytes(6).toString('hex');
  readonly #startedMs = performance.now();
  #sent = 0;
  #answered = 0;
  #firstMs = 0;
  #lastMs = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#heads = load.requests.map(headOf);
  }

  /** One connection, sending until the time is over. */
  connect(index: number): Promise<void> {
    const { ports, addresses } = this.#load;
    const socket = net.connect({
      host: '127.0.0.1',
      port: ports[index % ports.length] ?? 0,
      ...(addresses > 1 ? { localAddress: `127.0.0.${2 + (index % addresses)}` } : {}),
      noDelay: true,
    });
    return new Promise((resolve, reject) => {
      let sentMs = 0;
      let received: Buffer | null = null;
      const next = () => {
        if (this.#isOver()) return void socket.destroy();
        sentMs = performance.now();
        this.#send(socket);
      };
      socket.once('connect', next);
      socket.on('data', (chunk: Buffer) => {
        received = received === null ? chunk : Buffer.concat([received, chunk]);
        const status = statusWhenWhole(received);
        if (status === null) return;
        if (status !== this.#load.expectStatus) {
          socket.destroy();
          return reject(new Error(`answered ${status}: ${received.toString('utf8').slice(0, 800)}`));
        }
        received = null;
        this.#count(sentMs);
        next();
      });
      socket.once('error', reject);
      socket.once('close', () => resolve());
    });
  }

  async finish(connections: Promise<void>[]): Promise<LoadResult> {
    await Promise.all(connections);
    const count = this.#latencies.length;
    if (count < 2) throw new Error('fewer than two answers in the whole window');
    const seconds = (this.#lastMs - this.#firstMs) / 1000;
    const latencies = Float64Array.from(this.#latencies);
    return { perSecond: (count - 1) / seconds, count, answered: this.#answered, latencies };
  }

  #isOver(): boolean {
    const { warmUpMs, windowMs, maxRequests = Number.POSITIVE_INFINITY } = this.#load;
    return performance.now() - this.#startedMs > warmUpMs + windowMs || this.#latencies.length >= maxRequests;
  }

  #send(socket: net.Socket): void {
    const request = this.#heads[this.#sent % this.#heads.length];
    if (request === undefined) throw new Error('no requests to send');
    this.#sent++;
    const key = this.#load.idempotent ? `Idempotency-Key: ${this.#prefix}-${this.#sent}\r\n` : '';
    socket.cork();
    socket.write(`${request.head}${key}\r\n`, 'latin1');
    socket.write(request.tail);
    socket.uncork();
  }

  #count(sentMs: number): void {
    const now = performance.now();
    this.#answered++;
    if (now - this.#startedMs < this.#load.warmUpMs) return;
    if (this.#latencies.length === 0) this.#firstMs = now;
    this.#lastMs = now;
    this.#latencies.push(now - sentMs);
  }
}

function headOf({ method, path, headers, body = '' }: LoadRequest): { head: string; tail: Buffer } {
  const tail = Buffer.from(body);
  const all = { Host: 'bench.local', ...headers, ...(body === '' ? {} : { 'Content-Length': `${tail.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`, tail };
}

/** The status once the answer is there with its body; null before. */
function statusWhenWhole(received: Buffer): number | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = received.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length in the answer: ${head}`);
  return received.length >= end + 4 + Number(length) ? Number(head.slice(9, 12)) : null;
}
