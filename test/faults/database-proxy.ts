import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../harness/free-port.ts';

interface Pair {
  client: Socket;
  server: Socket;
  /** Bytes for the server that wait. */
  delayed: Buffer[] | null;
  /** Bytes of the server are dropped from now on. */
  mute: boolean;
  /** Called at the server's next bytes. */
  answered: (() => void) | null;
}

/** A statement that the proxy waits for, recognised by its text. */
interface Stop {
  pattern: RegExp;
  /** `before`: The proxy delays the statement. `after`: The server executes it, and the proxy delays the answer. */
  when: 'before' | 'after';
  reached: () => void;
}

/**
 * Relays between a process and its database. It breaks the connection at a chosen point: right before a statement
 * reaches the server, or right after the server has executed it. Statements are recognised by their text, which travels
 * in clear and, at the sizes of tests, in one piece.
 */
export class DatabaseProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #stop: Stop | null = null;
  #blackHole = false;
  /** Port on which it listens. While it is down, no outgoing connection may get it. */
  #port = 0;

  constructor(databaseUrl: string) {
    this.#target = new URL(databaseUrl);
    this.#server = createServer((client) => this.#join(client));
  }

  async start(): Promise<this> {
    this.#port = await freePort();
    await this.up();
    return this;
  }

  /** Breaks all connections and refuses new ones, as a server does that is down. */
  async down(): Promise<void> {
    for (const { client } of this.#pairs) client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Listens again where it did before. */
  async up(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  /** The database's address, through the proxy; the same while it is down. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = `${this.#port}`;
    return url.href;
  }

  accepted = 0;

  /** Hears what is sent to the server, as text. */
  onStatement: (text: string) => void = () => undefined;

  get connections(): number {
    return this.#pairs.size;
  }

  /**
   * Stops a statement that matches. Before: resolves when it is about to reach the server, and holds it back until `release`.
   * After: resolves when the server has carried it out, and the answer never arrives.
   */
  stop(when: Stop['when'], pattern: RegExp): Promise<void> {
    return new Promise((reached) => {
      this.#stop = { pattern, when, reached };
    });
  }

  /** Sends on what was held back. */
  release(): void {
    for (const pair of this.#pairs) {
      for (const chunk of pair.delayed ?? []) pair.server.write(chunk);
      pair.delayed = null;
    }
  }

  /** From now on nothing passes on the connections that exist, in either direction; neither side is notified. */
  swallow(): void {
    for (const pair of this.#pairs) {
      pair.delayed = [];
      pair.mute = true;
    }
  }

  /** The same for all connections, new ones included, until it is switched off. */
  blackHole(on: boolean): void {
    this.#blackHole = on;
    if (on) this.swallow();
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const delayed = this.#blackHole ? [] : null;
    const pair: Pair = { client, server, delayed, mute: this.#blackHole, answered: null };
    this.#pairs.add(pair);
    this.accepted += 1;
    client.on('data', (chunk) => this.#toServer(pair, chunk));
    server.on('data', (chunk) => this.#toClient(pair, chunk));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // A reset on one side is a close on the other.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
  }

  #toServer(pair: Pair, chunk: Buffer): void {
    this.onStatement(chunk.toString('latin1'));
    if (pair.delayed !== null) return void pair.delayed.push(chunk);
    const stop = this.#stop;
    if (stop?.pattern.test(chunk.toString('latin1'))) {
      this.#stop = null;
      if (stop.when === 'before') {
        pair.delayed = [chunk];
        stop.reached();
        return;
      }
      pair.mute = true;
      pair.answered = stop.reached;
    }
    pair.server.write(chunk);
  }

  #toClient(pair: Pair, chunk: Buffer): void {
    if (!pair.mute) return void pair.client.write(chunk);
    // The first bytes of the answer: the statement has been carried out.
    pair.answered?.();
    pair.answered = null;
  }
}
