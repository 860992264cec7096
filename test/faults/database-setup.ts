import { rmSync } from 'node:fs';
import pg from 'pg';
import { postgresMajor } from '../../scripts/postgres-major.ts';
import { SECRETS_KEY, type ServiceProcess, serviceEnvironment, startProcess } from '../../scripts/trial/process.ts';
import { createLogger } from '../../src/base/log/log.ts';
import type { ConnectionLimits } from '../../src/database/connection/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import type { RunningServer } from '../../src/http/server.ts';
import { startServer } from '../../src/processes/serve.ts';
import { type RunningWorker, startWorker } from '../../src/processes/worker.ts';
import { Client, type Exchange } from '../harness/client.ts';
import { query } from '../harness/database.ts';
import { addressOf, until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { idempotent, linkBody, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, paidLink } from '../harness/webhooks.ts';
import { RunningClock } from './crash-setup.ts';
import { DatabaseProxy } from './database-proxy.ts';

/** Limits that let a test see the end of a black-holed connection. */
export const SHORT: ConnectionLimits = { connectionTimeoutMillis: 500, answerTimeoutMillis: 1_000 };

/** Every dead connection of a pool costs a sweep. */
const ARRIVAL_MS = 60_000;

/** A database server for faults, an API beside the proxy that prepares rows, and the processes under test. */
export class DatabaseSetup {
  readonly postgres: EmbeddedPostgres;
  readonly proxy: DatabaseProxy;
  readonly practice: TestPractice;
  readonly receiver: Receiver;
  readonly #service: TestService;
  /** Data folder of the server. */
  readonly #directory: string;
  readonly #running: (RunningServer | RunningWorker)[] = [];
  readonly #processes: ServiceProcess[] = [];

  private constructor(
    postgres: EmbeddedPostgres,
    proxy: DatabaseProxy,
    service: TestService,
    practice: TestPractice,
    receiver: Receiver,
    directory: string,
  ) {
    this.postgres = postgres;
    this.proxy = proxy;
    this.#service = service;
    this.practice = practice;
    this.receiver = receiver;
    this.#directory = directory;
  }

  static async start(): Promise<DatabaseSetup> {
    const directory = newScratchFolder('faults');
    const postgres = await startEmbeddedPostgres({ directory, durable: false, major: postgresMajor });
    await migrate(postgres.url, createLogger('silent'));
    // Under a name of its own, so that tests can end the sessions of what they test alone.
    const service = await TestService.start({
      databaseUrl: `${postgres.url}?application_name=setup`,
      clock: new RunningClock(),
      env: { SECRETS_KEY },
    });
    const practice = await service.practice();
    const receiver = await new Receiver().start();
    await createEndpoint(practice.test, receiver.url);
    const proxy = await new DatabaseProxy(postgres.url).start();
    return new DatabaseSetup(postgres, proxy, service, practice, receiver, directory);
  }

  /** Ends the processes that a test started. The server and its data stay for the next test. */
  async reset(): Promise<void> {
    for (const child of this.#processes) child.signal('SIGKILL');
    await Promise.all(this.#processes.splice(0).map(({ ended }) => ended));
    await Promise.all(this.#running.splice(0).map((one) => ('close' in one ? one.close() : one.stop())));
    this.proxy.blackHole(false);
  }

  async close(): Promise<void> {
    await this.reset();
    await this.#service.close();
    await this.receiver.close();
    await this.proxy.close();
    await this.postgres.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** A test key of another practice. */
  async otherKey(): Promise<string | null> {
    return (await this.#service.practice()).test.key;
  }

  /** An API in this process, its database behind the proxy. */
  async api(databaseLimits: ConnectionLimits = {}): Promise<Client> {
    const server = await startServer(this.#config, createLogger('silent'), { databaseLimits });
    this.#running.push(server);
    return new Client(`http://127.0.0.1:${server.port}`, this.practice.test.key);
  }

  /** A worker in this process, its database behind the proxy. */
  async worker(databaseLimits: ConnectionLimits = {}): Promise<void> {
    this.#running.push(await startWorker(this.#config, createLogger('silent'), { databaseLimits }));
  }

  /** An API as an operator starts it, and a client of it. */
  async serve(): Promise<{ serve: ServiceProcess; client: Client }> {
    const serve = this.process('serve', { PORT: '0' });
    return { serve, client: new Client(await addressOf(serve.log), this.practice.test.key) };
  }

  /** The command itself, as an operator starts it. */
  process(command: 'serve' | 'worker', overrides: NodeJS.ProcessEnv = {}): ServiceProcess {
    const child = startProcess(command, serviceEnvironment(this.proxy.url, overrides));
    this.#processes.push(child);
    return child;
  }

  /** Creates a link through the client; any answer is fine. */
  create(client: Client): Promise<Exchange> {
    return client.post('/api/v1/payment-links', linkBody(), idempotent());
  }

  /** Resolves when a new event, created without the proxy, has arrived. */
  async untilDelivering(explain: () => string): Promise<void> {
    const { id } = await paidLink(this.practice.test);
    const arrived = () => this.receiver.received.some(({ event }) => event.data.paymentLink.id === id);
    await until(arrived, () => `the event never arrived: ${explain()}`, ARRIVAL_MS);
  }

  rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return query<Row & Record<string, unknown>>(this.postgres.url, text, values);
  }

  /** A session of the test's own. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    // The server may be restarted under it.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  get #config() {
    return { ...this.#service.config, databaseUrl: this.proxy.url };
  }
}
