import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';

/** Behaviour of a pooler. By default each client has a session of its own, which nothing changes. */
export interface PoolerHabits {
  /** All clients share one session, and each has it for one transaction: PgBouncer's transaction mode. */
  sharesSession?: boolean;
  /** A statement that the pooler runs on its own after each transaction of a client. */
  runsAfterEach?: string;
  /** Refuses every client with this text and PgBouncer's SQLSTATE, or those alone that ask for a parameter. */
  refuses?: { text: string; parameter?: string };
}

/** Authentication passed, a process id, and ready for a query. */
const GREETING = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 75, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1, 90, 0, 0, 0, 5, 73]);

/** Position of the process id in the greeting. */
const PROCESS_ID_OFFSET = 14;

/** The pooler's own process id of its first client. No process of a system has such a high one. */
const FIRST_PROCESS_ID = 2 ** 30;

/** PostgreSQL's message Terminate. */
const TERMINATE = 'X'.charCodeAt(0);

/** Ends every answer of a server: ReadyForQuery and the state of the transaction. */
const READY = Buffer.from([90, 0, 0, 0, 5]);
const IDLE = 'I'.charCodeAt(0);

/** A pooler between clients and their database, with chosen habits; it asks nobody for a password. */
export class PoolerStandIn {
  readonly #databaseUrl: string;
  readonly #server: Server;
  readonly #backends: Backend[] = [];
  #processId = FIRST_PROCESS_ID;

  private constructor(databaseUrl: string, habits: PoolerHabits) {
    this.#databaseUrl = databaseUrl;
    this.#server = createServer((client) => void this.#join(client, habits));
  }

  static async start(databaseUrl: string, habits: PoolerHabits): Promise<PoolerStandIn> {
    const pooler = new PoolerStandIn(databaseUrl, habits);
    await new Promise<void>((resolve) => pooler.#server.listen(0, '127.0.0.1', resolve));
    return pooler;
  }

  /** The database's address, through the pooler. */
  get url(): string {
    const url = new URL(this.#databaseUrl);
    url.port = `${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  async close(): Promise<void> {
    for (const backend of this.#backends) backend.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #join(client: Socket, { sharesSession, runsAfterEach, refuses }: PoolerHabits): Promise<void> {
    client.on('error', () => client.destroy());
    const shared = sharesSession ? this.#backends[0] : undefined;
    const backend = shared ?? new Backend(this.#databaseUrl, runsAfterEach);
    if (shared === undefined) this.#backends.push(backend);
    let isGreeted = false;
    client.on('data', (bytes) => {
      if (bytes[0] === TERMINATE) client.end();
      else if (isGreeted) backend.pass(client, bytes);
      else if (refuses !== undefined && bytes.includes(refuses.parameter ?? 'user')) client.end(refusal(refuses.text));
      else client.write(this.#greeting());
      isGreeted = true;
    });
    // A session that no other client uses ends with its client, also in the middle of a statement.
    client.on('close', () => (sharesSession ? backend.leave(client) : backend.close()));
  }

  #greeting(): Buffer {
    const greeting = Buffer.from(GREETING);
    greeting.writeInt32BE(this.#processId++, PROCESS_ID_OFFSET);
    return greeting;
  }
}

/** Returns PostgreSQL's message ErrorResponse, as PgBouncer writes it. */
function refusal(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** One session of the database, lent to one client at a time. */
class Backend {
  readonly #session: pg.Client;
  readonly #runsAfterEach: string | undefined;
  readonly #connected: Promise<unknown>;
  readonly #waiting: { client: Socket; bytes: Buffer }[] = [];
  #client: Socket | null = null;
  /** Under way on the pooler's own behalf: the answer is for nobody. */
  #isOwnStatement = false;
  #tail = Buffer.alloc(0);

  constructor(databaseUrl: string, runsAfterEach: string | undefined) {
    // With this option the server ends a statement soon after its session is closed.
    const options = '-c client_connection_check_interval=500';
    this.#session = new pg.Client({ connectionString: databaseUrl, options });
    this.#session.on('error', () => undefined);
    this.#runsAfterEach = runsAfterEach;
    this.#connected = this.#session.connect().then(() => {
      // From here on its bytes are passed on instead of read.
      this.#stream.removeAllListeners('data');
      this.#stream.on('data', (bytes: Buffer) => this.#answer(bytes));
    });
    this.#connected.catch(() => undefined);
  }

  get #stream() {
    return this.#session.connection.stream;
  }

  async pass(client: Socket, bytes: Buffer): Promise<void> {
    this.#waiting.push({ client, bytes });
    await this.#connected;
    this.#send();
  }

  /** Ends the transaction that a client left open. */
  leave(client: Socket): void {
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((one) => one.client !== client));
    if (this.#client === client) this.#run('rollback');
  }

  close(): void {
    this.#stream.destroy();
  }

  #send(): void {
    while (!this.#isOwnStatement) {
      const next = this.#waiting.findIndex(({ client }) => this.#client === null || this.#client === client);
      const [one] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (one === undefined) return;
      this.#client = one.client;
      this.#stream.write(one.bytes);
    }
  }

  #answer(bytes: Buffer): void {
    if (!this.#isOwnStatement) this.#client?.write(bytes);
    this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-6);
    if (!this.#tail.subarray(0, 5).equals(READY) || this.#tail[5] !== IDLE) return;
    const wasOwnStatement = this.#isOwnStatement;
    this.#isOwnStatement = false;
    this.#client = null;
    if (!wasOwnStatement && this.#runsAfterEach !== undefined) this.#run(this.#runsAfterEach);
    else this.#send();
  }

  #run(statement: string): void {
    this.#isOwnStatement = true;
    const text = Buffer.from(`${statement}\0`);
    const head = Buffer.alloc(5);
    head.write('Q');
    head.writeInt32BE(text.length + 4, 1);
    this.#stream.write(Buffer.concat([head, text]));
  }
}
