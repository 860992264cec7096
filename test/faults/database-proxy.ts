import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection through the proxy. */
interface Pair {
  client: Socket;
  server: Socket;
  /** Bytes for the server that are held back. */
  held: Buffer[] | null;
  /** Bytes of the server are dropped from now on. */
  mute: boolean;
  /** Called at the server's next bytes. */
  answered: (() => void) | null;
}

/** A statement that the proxy waits for, told by its text. */
interface Stop {
  pattern: RegExp;
  /** Whether the statement is held back, or carried out and its answer kept. */
  when: 'before' | 'after';
  reached: () => void;
}

/**
 * Stands between a process and its database, and makes the connection misbehave at a named point: right before a
 * statement reaches the server, or right after the server has carried it out. Statements are told by their text, which
 * travels in clear and, at the sizes of tests, in one piece.
 */
export class DatabaseProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #stop: Stop | null = null;
  #blackHole = false;
  /** Where it listened before it went down. */
  #port = 0;

  constructor(databaseUrl: string) {
    this.#target = new URL(databaseUrl);
    this.#server = createServer((client) => this.#join(client));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Breaks all connections and refuses new ones, as a server does that is down. */
  async down(): Promise<void> {
    this.#port = this.#ownPort;
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
    url.port = `${this.#server.listening ? this.#ownPort : this.#port}`;
    return url.href;
  }

  get #ownPort(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections taken so far. */
  accepted = 0;

  /** Hears what is sent to the server, as text. */
  onStatement: (text: string) => void = () => undefined;

  /** Connections that are open through the proxy. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Resolves when a statement that matches is about to reach the server; it is held back until release(). */
  stopBefore(pattern: RegExp): Promise<void> {
    return new Promise((reached) => {
      this.#stop = { pattern, when: 'before', reached };
    });
  }

  /** Resolves when the server has carried a matching statement out; the answer never arrives. */
  stopAfter(pattern: RegExp): Promise<void> {
    return new Promise((reached) => {
      this.#stop = { pattern, when: 'after', reached };
    });
  }

  /** Lets go of what is held back. */
  release(): void {
    for (const pair of this.#pairs) {
      for (const chunk of pair.held ?? []) pair.server.write(chunk);
      pair.held = null;
    }
  }

  /** From now on nothing passes on the connections that exist, in either direction; nobody is told. */
  swallow(): void {
    for (const pair of this.#pairs) {
      pair.held = [];
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
    const held = this.#blackHole ? [] : null;
    const pair: Pair = { client, server, held, mute: this.#blackHole, answered: null };
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
    if (pair.held !== null) return void pair.held.push(chunk);
    const stop = this.#stop;
    if (stop?.pattern.test(chunk.toString('latin1'))) {
      this.#stop = null;
      if (stop.when === 'before') {
        pair.held = [chunk];
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
