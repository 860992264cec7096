import { randomBytes, randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { createLogger } from '../../src/base/log/log.ts';
import type { Scope } from '../../src/base/scope.ts';
import { SLOT_COUNT } from '../../src/base/slot.ts';
import { issueKey, type NewApiKey } from '../../src/keys/service.ts';
import { createLocation, createPractice } from '../../src/practices/service.ts';
import { type Config, readConfig } from '../../src/processes/config.ts';
import { startServer } from '../../src/processes/serve.ts';
import type { Dependencies } from '../../src/processes/shared.ts';
import { createOrm, createProcessor } from '../../src/processes/shared.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { createDeliverer, type Deliverer, type DeliverOptions } from '../../src/webhooks/delivery/deliverer.ts';
import { networkSet } from '../../src/webhooks/send/networks.ts';
import { createResolver } from '../../src/webhooks/send/resolver.ts';
import { createSender } from '../../src/webhooks/send/send.ts';
import { Client } from './client.ts';
import { SettableClock } from './clock.ts';
import { createDatabase } from './database.ts';
import { edgeBefore } from './edge-before.ts';

/** Number of practices that this process has made. */
let slotsGiven = 0;

/** A practice with what tests usually want of it. */
export interface TestPractice {
  practiceId: string;
  locationId: string;
  /** Clients with an unlimited key of each mode. */
  test: Client;
  live: Client;
}

export interface ServiceOptions extends Dependencies {
  /** Several servers may share one database. */
  databaseUrl?: string;
  env?: Record<string, string>;
  /** Of the server, and of the scopes that tests use; silent by default. */
  log?: Logger;
  /** True for the first cell behind an edge, which has no edge of its own. */
  isFirstCell?: boolean;
}

/** With `haproxy` or `typescript`, clients reach the service through an edge, as the second of two cells. */
const EDGE = process.env.TEST_EDGE;

/** Timeout of attempts that are not about timeouts: receivers may be busy, or wait for their test. */
const ATTEMPT_TIMEOUT_MS = 20_000;

/** Raised limits, so that tests which are not about limits don't meet them. */
const UNLIMITED = 1_000_000;

/** The keyring of the service under test, for commands on its database. */
export const SECRETS_KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** The real server on a real port over a database of its own, with a clock that tests move. */
export class TestService {
  readonly clock: SettableClock;
  readonly config: Config & { databaseUrl: string };
  readonly baseUrl: string;
  readonly orm: MikroORM;
  readonly #log: Logger;
  readonly #closers: (() => Promise<void>)[];
  #processor: Processor | null = null;

  private constructor(
    clock: SettableClock,
    config: Config & { databaseUrl: string },
    baseUrl: string,
    orm: MikroORM,
    log: Logger,
    closers: (() => Promise<void>)[],
  ) {
    this.clock = clock;
    this.config = config;
    this.baseUrl = baseUrl;
    this.orm = orm;
    this.#log = log;
    this.#closers = closers;
  }

  static async start(options: ServiceOptions = {}): Promise<TestService> {
    const clock = options.clock instanceof SettableClock ? options.clock : new SettableClock();
    const databaseUrl = options.databaseUrl ?? (await createDatabase());
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
        ...(EDGE === undefined ? {} : { TRUST_PROXY_HOPS: '1' }),
        ...options.env,
      }),
      databaseUrl,
    };
    const { log = createLogger('silent') } = options;
    const server = await startServer(config, log, { ...options, clock });
    const orm = createOrm(databaseUrl, log, 5);
    const direct = `http://127.0.0.1:${server.port}`;
    const startFirst = () => TestService.start({ isFirstCell: true, clock });
    const hasEdge = EDGE !== undefined && options.isFirstCell !== true;
    const edge = hasEdge ? await edgeBefore(EDGE, direct, startFirst) : null;
    const service = new TestService(clock, config, edge?.url ?? direct, orm, log, [
      ...(edge === null ? [] : [() => edge.close()]),
      () => server.close(),
      () => orm.close(),
    ]);
    service.#processor = await createProcessor(config, () => service.scope());
    return service;
  }

  /** A fresh scope, for what tests do past the API. */
  scope(): Scope {
    const { keyring, publicUrl, consoleUrl } = this.config;
    return { em: this.orm.em.fork(), clock: this.clock, log: this.#log, keyring, publicUrl, consoleUrl };
  }

  /** The configured processor, for what tests do past the API. */
  processor(): Processor {
    if (this.#processor === null) throw new Error('a started service has one');
    return this.#processor;
  }

  client(key: string | null): Client {
    return new Client(this.baseUrl, key);
  }

  /** A practice with one location, onboarding finished, and a client of each mode. */
  async practice(overrides: { paymentsEnabled?: boolean; slots?: number[] } = {}): Promise<TestPractice> {
    slotsGiven++;
    const practice = await createPractice(this.scope(), {
      // Moves take whole slots, so no two practices of a test have the same one by chance.
      slots: [1 + (slotsGiven % (SLOT_COUNT - 1))],
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

  /** A client with a fresh key. */
  async key(input: NewApiKey): Promise<Client> {
    const { key } = await issueKey(this.scope(), { requestsPerMinute: UNLIMITED, ...input });
    return this.client(key);
  }

  /** A deliverer as a worker has it, for tests that ring themselves. Stopped with the service. */
  deliverer(overrides: Partial<Omit<DeliverOptions, 'sender'>> = {}): Deliverer {
    const timeoutMs = overrides.timeoutMs ?? ATTEMPT_TIMEOUT_MS;
    const policy = { allowedNetworks: networkSet(this.config.webhookAllowedNetworks) };
    const sender = createSender({ policy, resolver: createResolver({ useSystemNames: true }), timeoutMs });
    const deliverer = createDeliverer({
      newScope: () => this.scope(),
      log: createLogger('silent'),
      sender,
      retrySeconds: this.config.webhookRetrySeconds,
      random: () => 0.5,
      ...overrides,
      timeoutMs,
    });
    this.#closers.unshift(async () => {
      await deliverer.stop();
      await sender.close();
    });
    return deliverer;
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
  }
}

/** A body that creates a link; override what a test is about. */
export function linkBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 125.5, description: 'Cleaning', patient: { firstName: 'Ada', lastName: 'Byron' }, ...overrides };
}

/** Headers of a create request with a fresh idempotency key. */
export function idempotent(key: string = randomUUID()): { headers: Record<string, string> } {
  return { headers: { 'idempotency-key': key } };
}

/** Creates a link and returns the resource; throws unless that is what happens. */
export async function createLink(client: Client, overrides: Record<string, unknown> = {}) {
  const created = await client.post('/api/v1/payment-links', linkBody(overrides), idempotent());
  if (created.status !== 201) throw new Error(`create answered ${created.status}: ${created.text}`);
  return created.body;
}

/** A key of the right shape that nobody issued. */
export function unknownKey(): string {
  return `pp_test_${randomBytes(24).toString('base64url')}`;
}
