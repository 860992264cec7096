import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { type EmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import pg from 'pg';
import type { RunningServer } from '../../src/http/server.ts';
import { startServer } from '../../src/main/processes/serve.ts';
import { type RunningWorker, startWorker } from '../../src/main/processes/worker.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import type { ConnectionLimits } from '../../src/platform/database/connection/connection.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { Client, type Exchange } from '../harness/client.ts';
import { postgresMajor } from '../harness/postgres-major.ts';
import { until } from '../harness/processes.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { idempotent, linkBody } from '../harness/service.ts';
import { paidLink } from '../harness/webhooks.ts';
import { FaultSetup } from './crash-setup.ts';

/** Limits that let a test see the end of a black-holed connection. */
export const SHORT: ConnectionLimits = { connectionTimeoutMillis: 500, answerTimeoutMillis: 1_000 };

/** Every dead connection of a pool costs a sweep. */
const ARRIVAL_MS = 60_000;

/** The pool of an API process. */
export const POOL = 10;

/** Returns the setup of a `describe`. Its server and data stay for the next test, and processes end with theirs. */
export function useDatabaseSetup(): DatabaseSetup {
  const setup = new DatabaseSetup();
  before(() => setup.start());
  afterEach(() => setup.reset());
  after(() => setup.close());
  return setup;
}

export function expectUnavailable(reply: Exchange): void {
  expect([reply.status, reply.body.error.code]).to.deep.equal([503, 'service_unavailable']);
  expect(reply.headers['retry-after']).to.match(/^[1-9]\d*$/);
}

/** A setup with a database server of its own, whose API that prepares rows goes beside the proxy. */
export class DatabaseSetup extends FaultSetup {
  postgres!: EmbeddedPostgres;
  readonly #directory = newScratchFolder('faults');
  readonly #running: (RunningServer | RunningWorker)[] = [];

  override async start(): Promise<this> {
    this.postgres = await startEmbeddedPostgres({ directory: this.#directory, isDurable: false, major: postgresMajor });
    await migrate(this.postgres.url, createLogger('silent'));
    // Under a name of its own, so that tests can end the sessions of what they test alone.
    return super.start({ databaseUrl: `${this.postgres.url}?application_name=setup` });
  }

  override get databaseUrl(): string {
    return this.postgres.url;
  }

  override async reset(): Promise<void> {
    await super.reset();
    await Promise.all(this.#running.splice(0).map((one) => ('close' in one ? one.close() : one.stop())));
    this.proxy.blackHole(false);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.postgres.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async otherKey(): Promise<string | null> {
    return (await this.service.practice()).test.key;
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

  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    // The server may be restarted under it.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  get #config() {
    return { ...this.service.config, databaseUrl: this.proxy.url };
  }
}
