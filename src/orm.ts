import { readFileSync } from 'node:fs';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { runMigrations } from 'graphile-worker';
import type { PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { AnswerTimeoutClient } from './database/connection/answer-timeout-client.ts';
import type { Connection } from './database/connection/connection.ts';
import { createPool } from './database/connection/pool.ts';
import {
  type DatabaseLimits,
  migratingConnection,
  serviceConnection,
} from './database/connection/service-connection.ts';
import { CONNECTION_LIFETIME_SECONDS } from './database/query/plan-hints.ts';
import { ApiKey } from './keys/api-key.entity.ts';
import { BankReversal } from './payment-links/model/bank-reversal.entity.ts';
import { Dispute } from './payment-links/model/dispute.entity.ts';
import { Patient } from './payment-links/model/patient.entity.ts';
import { PaymentAttempt } from './payment-links/model/payment-attempt.entity.ts';
import { PaymentLink } from './payment-links/model/payment-link.entity.ts';
import { Refund } from './payment-links/model/refund.entity.ts';
import { Transaction } from './payment-links/model/transaction.entity.ts';
import { Location } from './practices/location.entity.ts';
import { Practice } from './practices/practice.entity.ts';
import { WebhookAttempt } from './webhooks/model/attempt.entity.ts';
import { WebhookDelivery } from './webhooks/model/delivery.entity.ts';
import { WebhookEndpoint } from './webhooks/model/endpoint.entity.ts';

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
  '0009-neighbours',
  '0011-list-counts',
  '0012-hosted-page',
  '0013-sealed-replies',
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

/** The ORM over one pool. Connects lazily: a database that is away at start is an error of the first query only. */
export function createOrm(
  databaseUrl: string,
  log: Logger,
  poolSize = 10,
  limits: Partial<DatabaseLimits> = {},
): MikroORM {
  return ormOver(serviceConnection(databaseUrl, limits), log, {
    max: poolSize,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
  });
}

/** All of the connection goes to the driver: MikroORM itself takes no more from an address than a host and a login. */
function ormOver(connection: Connection, log: Logger, pool: PoolConfig): MikroORM {
  return new MikroORM({
    entities: ENTITIES,
    dbName: connection.database,
    driverOptions: { ...connection, ...pool, Client: AnswerTimeoutClient },
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
  const orm = ormOver(migratingConnection(databaseUrl), log, { max: 3 });
  const pool = createPool(migratingConnection(databaseUrl), 2, log);
  try {
    return await orm.em.transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      await runMigrations({ pgPool: pool });
      const applied = await orm.migrator.up();
      return applied.map(({ name }) => name);
    });
  } finally {
    await pool.end();
    await orm.close();
  }
}

/** Names of migrations that the database still lacks. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const pending = await orm.migrator.getPending();
  return pending.map(({ name }) => name);
}
