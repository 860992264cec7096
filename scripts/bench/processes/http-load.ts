import { randomBytes } from 'node:crypto';
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

/** Requests to send, with connections and times. */
export interface Load {
  /** Ports of the server's processes. Connections are spread over them. */
  ports: number[];
  /** Requests under way at once, one per connection. */
  connections: number;
  /** Number of the first of them, if other processes put the rest of the load: they have other ports and addresses. */
  firstConnection?: number;
  /** The client's addresses, spread over the connections; the first ones of 127.0.0.0/8. */
  addresses: number;
  /** Sent one after the other, again and again. */
  requests: LoadRequest[];
  /** Sends each request once and ends after the last one. */
  once?: boolean;
  /** So many requests in a row are one exchange: one connection sends them in order, and they are measured together. */
  requestsEach?: number;
  /** Gives every request an idempotency key of its own. */
  idempotent: boolean;
  expectStatus: number;
  warmUpMs: number;
  /** Ends after this time or this number of requests, whichever comes first. */
  windowMs: number;
  maxRequests?: number;
}

/** Result of a load, after the warm-up. */
export interface LoadResult {
  perSecond: number;
  count: number;
  /** Answers in all, those of the warm-up included. */
  answered: number;
  /** Of each request, in milliseconds. */
  latencies: Float64Array;
}

interface Prepared {
  head: string;
  tail: Buffer;
  expectStatus: number;
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
  readonly #heads: Prepared[];
  readonly #latencies: number[] = [];
  readonly #prefix = randomBytes(6).toString('hex');
  readonly #startedMs = performance.now();
  #taken = 0;
  #sent = 0;
  #answered = 0;
  #firstMs = 0;
  #lastMs = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#heads = load.requests.map((request) => prepare(request, load.expectStatus));
  }

  /** One connection, sending until the time is over. */
  connect(index: number): Promise<void> {
    const { ports, addresses, firstConnection = 0 } = this.#load;
    const number = firstConnection + index;
    const socket = net.connect({
      host: '127.0.0.1',
      port: ports[number % ports.length] ?? 0,
      ...(addresses > 1 ? { localAddress: `127.0.0.${2 + (number % addresses)}` } : {}),
      noDelay: true,
    });
    return new Promise((resolve, reject) => {
      let sentMs = 0;
      let received: Buffer | null = null;
      let exchange: Prepared[] = [];
      const send = () => this.#send(socket, exchange[0]);
      const next = () => {
        exchange = this.#isOver() ? [] : this.#takeExchange();
        if (exchange.length === 0) return void socket.destroy();
        sentMs = performance.now();
        send();
      };
      socket.once('connect', next);
      socket.on('data', (chunk: Buffer) => {
        received = received === null ? chunk : Buffer.concat([received, chunk]);
        const status = statusWhenWhole(received);
        if (status === null) return;
        if (status !== exchange.shift()?.expectStatus) {
          socket.destroy();
          return reject(new Error(`answered ${status}: ${received.toString('utf8').slice(0, 800)}`));
        }
        received = null;
        if (exchange.length > 0) return send();
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

  /** Takes the requests of the next exchange; none when all were sent and each is sent once. */
  #takeExchange(): Prepared[] {
    const { once = false, requestsEach = 1 } = this.#load;
    if (once && this.#taken >= this.#heads.length) return [];
    const first = this.#taken % this.#heads.length;
    this.#taken += requestsEach;
    return this.#heads.slice(first, first + requestsEach);
  }

  #send(socket: net.Socket, request: Prepared | undefined): void {
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

/** Prepares a request for sending; its head lacks the line that ends it. */
export function prepare(
  { method, path, headers, body = '', expectStatus }: LoadRequest,
  usualStatus: number,
): Prepared {
  const tail = Buffer.from(body);
  const all = { Host: 'bench.local', ...headers, ...(body === '' ? {} : { 'Content-Length': `${tail.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`,
    tail,
    expectStatus: expectStatus ?? usualStatus,
  };
}

/** The status once the answer is there with its body; null before. */
export function statusWhenWhole(received: Buffer): number | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = received.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length in the answer: ${head}`);
  return received.length >= end + 4 + Number(length) ? Number(head.slice(9, 12)) : null;
}
