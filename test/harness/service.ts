import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Logger } from 'pino';
import { issueKey, type NewApiKey } from '../../src/access/service.ts';
import { type Config, readConfig } from '../../src/main/processes/config.ts';
import { startServer } from '../../src/main/processes/serve.ts';
import type { Dependencies } from '../../src/main/processes/shared.ts';
import { createOrm, createProcessor } from '../../src/main/processes/shared.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { randomText } from '../../src/platform/base/random-text.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { createLocation, createPractice } from '../../src/practices/service.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { createDeliverer, type Deliverer, type DeliverOptions } from '../../src/webhooks/delivery/deliverer.ts';
import { networkSet } from '../../src/webhooks/send/networks.ts';
import { createResolver } from '../../src/webhooks/send/resolver.ts';
import { createSender } from '../../src/webhooks/send/send.ts';
import { afterThisTest } from './after-this-test.ts';
import { Client } from './client.ts';
import { SettableClock } from './clock.ts';
import { createDatabase } from './database.ts';
import { until } from './processes.ts';

/** A practice with what tests usually want of it. */
export interface TestPractice {
  practiceId: string;
  locationId: string;
  /** Clients with an unlimited key of each mode. */
  test: Client;
  live: Client;
}

export interface ServiceOptions extends Dependencies {
  databaseUrl?: string;
  /** A service whose database and clock this one shares. */
  beside?: TestService;
  env?: Record<string, string>;
  /** Of the server, and of the scopes that tests use; silent by default. */
  log?: Logger;
}

/** Timeout of attempts that are not about timeouts: receivers may be busy, or wait for their test. */
const ATTEMPT_TIMEOUT_MS = 20_000;

/** Raised limits, so that tests which are not about limits don't meet them. */
const UNLIMITED = 1_000_000;

/** The keyring of the service under test, for commands on its database. */
export const SECRETS_KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;

interface Running {
  config: Config & { databaseUrl: string };
  baseUrl: string;
  orm: MikroORM;
  /** Sessions for statements of tests, which end soon after their last statement. */
  sessions: pg.Pool;
  closers: (() => Promise<void>)[];
}

/** The real server on a real port over a database of its own, with a clock that tests move. */
export class TestService {
  readonly clock: SettableClock;
  readonly #options: ServiceOptions;
  readonly #log: Logger;
  #running: Running | null = null;
  #processor: Processor | null = null;

  constructor(options: ServiceOptions = {}) {
    this.#options = options;
    this.#log = options.log ?? createLogger('silent');
    const { clock = options.beside?.clock } = options;
    this.clock = clock instanceof SettableClock ? clock : new SettableClock();
  }

  static start(options: ServiceOptions = {}): Promise<TestService> {
    return new TestService(options).start();
  }

  async start(): Promise<this> {
    const options = this.#options;
    const { clock } = this;
    const databaseUrl = options.databaseUrl ?? options.beside?.config.databaseUrl ?? (await createDatabase());
    const config = {
      ...readConfig({
        DATABASE_URL: databaseUrl,
        PORT: '0',
        PUBLIC_URL: 'https://pay.example.com',
        SECRETS_KEY,
        PROCESSOR: 'sandbox',
        IP_REQUESTS_PER_MINUTE: `${UNLIMITED}`,
        DRAIN_SECONDS: '0',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
        ...options.env,
      }),
      databaseUrl,
    };
    const server = await startServer(config, this.#log, { ...options, clock });
    const orm = createOrm(databaseUrl, this.#log, 5);
    const sessions = new pg.Pool({ connectionString: databaseUrl, max: 3, idleTimeoutMillis: 200 });
    // A test may end the sessions of a database.
    sessions.on('error', () => undefined);
    this.#running = {
      ...{ config, baseUrl: `http://127.0.0.1:${server.port}`, orm, sessions },
      closers: [() => server.close(), () => orm.close(), () => sessions.end()],
    };
    this.#processor = await createProcessor(config, () => this.scope());
    return this;
  }

  get config(): Running['config'] {
    return this.#started.config;
  }

  get baseUrl(): string {
    return this.#started.baseUrl;
  }

  get orm(): MikroORM {
    return this.#started.orm;
  }

  get #started(): Running {
    if (this.#running === null) throw new Error('the service has not started yet');
    return this.#running;
  }

  /** Returns a session of its own on the database, for transactions of a test. It ends with the present test. */
  async session(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: this.config.databaseUrl });
    await session.connect();
    afterThisTest(() => session.end());
    return session;
  }

  /** Locks rows in a transaction of a test. The returned function commits it; otherwise it ends with the present test. */
  async lock(select: string, values: unknown[] = []): Promise<() => Promise<void>> {
    const holder = await this.session();
    await holder.query('begin');
    await holder.query(select, values);
    return async () => void (await holder.query('commit'));
  }

  /** Resolves when so many statements wait for a lock; `text` is part of each. */
  async untilWaiting(count = 1, text = ''): Promise<void> {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
    await until(
      async () => (await this.query(waiting, [`%${text}%`])).length >= count,
      () => `fewer than ${count} statements wait for a lock`,
    );
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#started.sessions.query<Row>(text, values)).rows;
  }

  scope(): Scope {
    const { keyring, publicUrl, consoleUrl } = this.config;
    return { em: this.orm.em.fork(), clock: this.clock, log: this.#log, keyring, publicUrl, consoleUrl };
  }

  processor(): Processor {
    if (this.#processor === null) throw new Error('a started service has one');
    return this.#processor;
  }

  client(key: string | null): Client {
    return new Client(this.baseUrl, key);
  }

  /** A practice with one location, onboarding finished, and a client of each mode. */
  async practice(overrides: { paymentsEnabled?: boolean } = {}): Promise<TestPractice> {
    const practice = await createPractice(this.scope(), {
      name: 'Elm Street Dental',
      adminEmail: 'admin@elm.example',
      paymentsEnabled: true,
      ...overrides,
    });
    const locationId = await this.location(practice.id);
    const practiceId = practice.id;
    return {
      practiceId,
      locationId,
      test: await this.key({ practiceId, test: true }),
      live: await this.key({ practiceId, test: false }),
    };
  }

  async location(practiceId: string, name = 'Downtown'): Promise<string> {
    const place = { name, city: 'Springfield', state: 'IL', timeZone: 'America/Chicago' };
    return (await createLocation(this.scope(), { practiceId, ...place })).id;
  }

  async key(input: NewApiKey): Promise<Client> {
    const { key } = await issueKey(this.scope(), { requestsPerMinute: UNLIMITED, ...input });
    return this.client(key);
  }

  /** A deliverer as a worker has it, for tests that ring themselves. Stopped with the service. */
  deliverer(overrides: Partial<Omit<DeliverOptions, 'sender'>> = {}): Deliverer {
    const timeoutMs = overrides.timeoutMs ?? ATTEMPT_TIMEOUT_MS;
    const allowedNetworks = networkSet(this.config.webhookAllowedNetworks);
    const sender = createSender({ allowedNetworks, resolver: createResolver({ useSystemNames: true }), timeoutMs });
    const deliverer = createDeliverer({
      scope: this.scope(),
      sender,
      retrySeconds: this.config.webhookRetrySeconds,
      random: () => 0.5,
      limits: { rounds: 5_000, roundMs: timeoutMs },
      ...overrides,
      timeoutMs,
    });
    this.#started.closers.unshift(async () => {
      await deliverer.stop();
      sender.close();
    });
    return deliverer;
  }

  /** Does nothing before the start and at the second call. */
  async close(): Promise<void> {
    for (const close of this.#running?.closers.splice(0) ?? []) await close();
  }
}

/** A body that creates a link; override what a test is about. */
export function linkBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 125.5, description: 'Cleaning', patient: { firstName: 'Ada', lastName: 'Byron' }, ...overrides };
}

export function idempotent(key: string = randomUUID()): { headers: Record<string, string> } {
  return { headers: { 'idempotency-key': key } };
}

/** Creates a link and returns the resource; throws unless that is what happens. */
export async function createLink(client: Client, overrides: Record<string, unknown> = {}) {
  const created = await client.post('/api/v1/payment-links', linkBody(overrides), idempotent());
  if (created.status !== 201) throw new Error(`create answered ${created.status}: ${created.text}`);
  return created.body;
}

export function unknownKey(): string {
  return `pp_test_${randomText(32)}`;
}
