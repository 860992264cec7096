import { readFileSync } from 'node:fs';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { runMigrations } from 'graphile-worker';
import type { Logger } from 'pino';
import { ImpatientClient } from './impatient-client.ts';
import { ApiKey } from './keys/api-key.entity.ts';
import { BankReversal } from './payment-links/bank-reversal.entity.ts';
import { Dispute } from './payment-links/dispute.entity.ts';
import { Patient } from './payment-links/patient.entity.ts';
import { PaymentAttempt } from './payment-links/payment-attempt.entity.ts';
import { PaymentLink } from './payment-links/payment-link.entity.ts';
import { Refund } from './payment-links/refund.entity.ts';
import { Transaction } from './payment-links/transaction.entity.ts';
import { Location } from './practices/location.entity.ts';
import { Practice } from './practices/practice.entity.ts';
import { WebhookAttempt } from './webhooks/attempt.entity.ts';
import { WebhookDelivery } from './webhooks/delivery.entity.ts';
import { WebhookEndpoint } from './webhooks/endpoint.entity.ts';

const ENTITIES = [
  Practice,
  Location,
  ApiKey,
  Patient,
  PaymentLink,
  PaymentAttempt,
  Transaction,
  Refund,
  BankReversal,
  Dispute,
  WebhookEndpoint,
  WebhookDelivery,
  WebhookAttempt,
];

/** Migrations by their files' names, in order; a released one never changes. */
const MIGRATIONS = [
  '0001-initial',
  '0002-payments',
  '0003-aftercare',
  '0004-payment-references',
  '0005-refunds',
  '0006-create-link',
  '0007-link-counts',
  '0008-admit-together',
  '0011-list-counts',
].map((name) => ({
  name,
  class: class extends Migration {
    up(): void {
      this.addSql(readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), 'utf8'));
    }
  },
}));

/** Each migration is a transaction of its own: locks of the first must not last until the last is done. */
const MIGRATING = {
  migrationsList: MIGRATIONS,
  allOrNothing: false,
  snapshot: false,
  silent: true,
  tableName: 'schema_migrations',
};

/** Two processes that migrate at once wait for each other on this advisory lock; the number only has to be ours. */
const MIGRATION_LOCK = 8_042_577;

/**
 * Limits that turn a stuck database into an error: a connection that can't be had, a statement or lock that takes
 * longer than any of ours should, a transaction whose process was stopped in the middle. `answerTimeoutMillis` is the
 * one that notices a connection on which nothing arrives any more while a query waits; keep-alive notices an idle one,
 * within 20 seconds instead of the two hours that systems allow.
 */
export const DATABASE_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  answerTimeoutMillis: 20_000,
  idle_in_transaction_session_timeout: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/**
 * What every session is set to. All that we ask has an index and meets few rows, and plans that are kept must stay good
 * when a table grows that was nearly empty while they were made. So an index is taken wherever there is one, rows are
 * joined one by one through theirs, and no parallel workers are started: that takes milliseconds, and a wrong estimate
 * would start them for counting nothing.
 */
export const SESSION = [
  '-c timezone=UTC',
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
  '-c max_parallel_workers_per_gather=0',
].join(' ');

/** What a connection keeps, such as a plan made while a table was empty, is forgotten after this long. */
const CONNECTION_LIFETIME_SECONDS = 60;

export type DatabaseLimits = typeof DATABASE_LIMITS;

/** The ORM over one pool. Connects lazily: a database that is away at start is an error of the first query only. */
export function createOrm(
  databaseUrl: string,
  log: Logger,
  poolSize = 10,
  limits: Partial<DatabaseLimits> = {},
): MikroORM {
  return new MikroORM({
    entities: ENTITIES,
    clientUrl: databaseUrl,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000 },
    driverOptions: {
      maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
      ...DATABASE_LIMITS,
      ...limits,
      Client: ImpatientClient,
      options: SESSION,
      application_name: 'paylinks',
    },
    extensions: [Migrator],
    migrations: MIGRATING,
    // A schema diff would otherwise want to drop the tables of the job queue and of the sandbox.
    schemaGenerator: { ignoreSchema: ['graphile_worker', 'sandbox'] },
    logger: (message) => log.debug(message),
    ensureDatabase: false,
  });
}

/**
 * Brings the schema up to date, ours and the job queue's. Safe to run from several processes at once.
 *
 * @returns the names of the migrations that were applied; empty when there was nothing to do.
 */
export async function migrate(databaseUrl: string, log: Logger): Promise<string[]> {
  // Migrations may take longer than any statement of the service, hence no time-outs here.
  const orm = new MikroORM({
    entities: ENTITIES,
    clientUrl: databaseUrl,
    pool: { min: 0, max: 3 },
    extensions: [Migrator],
    migrations: MIGRATING,
    logger: (message) => log.debug(message),
    ensureDatabase: false,
  });
  try {
    return await orm.em.transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      await runMigrations({ connectionString: databaseUrl });
      const applied = await orm.migrator.up();
      return applied.map(({ name }) => name);
    });
  } finally {
    await orm.close();
  }
}

/** Names of migrations that the database still lacks. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const pending = await orm.migrator.getPending();
  return pending.map(({ name }) => name);
}
