import { readdirSync } from 'node:fs';
import { type EntityClass, EntitySchema, type MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { REPLY_SECRETS } from '../../access/sealed-replies.ts';
import { KEY_SECRETS } from '../../access/service.ts';
import type { ClientTimeouts } from '../../http/server.ts';
import type { PageService } from '../../payment-links/checkout/port.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { type Clock, systemClock } from '../../platform/base/time/clock.ts';
import { type ConnectionLimits, serviceConnection } from '../../platform/database/connection/connection.ts';
import { createOrmFor } from '../../platform/database/connection/pool.ts';
import type { SecretColumn } from '../../platform/database/query/rotate-secrets.ts';
import { createReadiness } from '../../platform/database/readiness.ts';
import type { Processor } from '../../processors/processor.ts';
import { withReports } from '../../processors/reported.ts';
import { createSandbox } from '../../processors/sandbox.ts';
import { ENDPOINT_SECRETS } from '../../webhooks/endpoints/service.ts';
import { networkSet } from '../../webhooks/send/networks.ts';
import { createResolver, type Resolver } from '../../webhooks/send/resolver.ts';
import type { Config } from './config.ts';

const SRC = new URL('../../', import.meta.url);
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
const ENTITY_FILES = FILES.filter((path) => path.endsWith('.entity.ts'));
const MODULES = await Promise.all(ENTITY_FILES.map((path) => import(new URL(path, SRC).href)));
/** The entities of all rooms. Their files have other exports, too. */
const ENTITIES = MODULES.flatMap(Object.values<EntityClass>).filter((value) => EntitySchema.REGISTRY.has(value));

/** Creates the ORM. It connects at the first query, so a database may be unavailable at the start. */
export function createOrm(databaseUrl: string, log: Logger, poolSize = 10, limits: ConnectionLimits = {}): MikroORM {
  const pool = { max: poolSize, idleTimeoutMillis: 30_000 };
  return createOrmFor(serviceConnection(databaseUrl, limits), log, pool, ENTITIES);
}

/** Returns the function that makes a scope for each request, job or command of a process. */
export function createScopes(
  orm: MikroORM,
  { keyring, publicUrl, consoleUrl }: Pick<Config, 'keyring' | 'publicUrl' | 'consoleUrl'>,
  log: Logger,
  clock: Clock,
): () => Scope {
  return () => ({ em: orm.em.fork(), clock, log, keyring, publicUrl, consoleUrl });
}

export async function createProcessor(config: Config, newScope: () => Scope): Promise<Processor> {
  if (config.stripe !== null) {
    // Stripe's SDK takes longer to load than most commands take to run, so only processes that need it load it.
    const { createStripe } = await import('../../processors/stripe.ts');
    return withReports(createStripe(config.stripe, newScope().log));
  }
  return withReports(createSandbox({ newScope, settleSeconds: config.sandboxSettleSeconds }));
}

/** Dependencies that tests may replace. */
export interface Dependencies {
  clock?: Clock;
  resolver?: Resolver;
  /** Shorter limits, for tests of an unreachable database. */
  databaseLimits?: ConnectionLimits;
  /** Shorter timeouts, for tests of slow clients. */
  clientTimeouts?: Partial<ClientTimeouts>;
  processor?: Processor;
  pageService?: (scope: Scope) => PageService;
}

/** Creates the resolver, which knows names of the machine and its containers only if private networks are allowed. */
export function defaultResolver(config: Config): Resolver {
  return createResolver({ useSystemNames: config.webhookAllowedNetworks.length > 0 });
}

/** All columns that SECRETS_KEY encrypts. A test compares them with the schema. */
export const SECRET_COLUMNS: readonly SecretColumn[] = [...ENDPOINT_SECRETS, KEY_SECRETS, REPLY_SECRETS];

/** Starts what an API and a worker have in common, and closes it as the last. Metrics are served from now on. */
export async function startCommon(
  component: 'api' | 'worker',
  config: Config & { databaseUrl: string },
  log: Logger,
  pool: { size: number; limits?: ConnectionLimits | undefined },
  { clock = systemClock, processor }: Dependencies,
) {
  // Without a collector, and without a port for metrics, their code is not even loaded.
  const traces =
    config.traces && (await import('../traces/start.ts')).startTraces({ component, log, ...config.traces });
  const orm = createOrm(config.databaseUrl, log, pool.size, pool.limits);
  const newScope = createScopes(orm, config, log, clock);
  const readiness = createReadiness(newScope, SECRET_COLUMNS);
  const { metricsPort: port, host } = config;
  const sources = { component, orm, newScope, readiness };
  const metrics = port === null ? null : await (await import('../metrics/server.ts')).startMetrics(sources, port, host);
  return {
    newScope,
    processor: processor ?? (await createProcessor(config, newScope)),
    allowedNetworks: networkSet(config.webhookAllowedNetworks),
    readiness,
    async close() {
      await Promise.all([metrics?.close(), orm.close(), traces?.close()]);
    },
  };
}
