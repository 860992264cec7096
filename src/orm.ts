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

/** File names of the migrations, in order. The statements of a released migration never change. */
const MIGRATIONS = [
  '0001-schema',
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
  '0014-job-heartbeats',
].map((name) => ({
  name,
  class: class extends Migration {
    up(): void {
      this.addSql(readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), 'utf8'));
    }
  },
}));

/** Each migration runs in its own transaction, so that its locks do not last until the end of all migrations. */
const MIGRATING = {
  migrationsList: MIGRATIONS,
  allOrNothing: false,
  snapshot: false,
  silent: true,
  tableName: 'schema_migrations',
};

/** Number of the advisory lock that lets only one process migrate at a time. */
const MIGRATION_LOCK = 8_042_577;

/** Creates the ORM with one pool. It connects at the first query, so a database may be unavailable at the start. */
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

/** Creates the ORM. It passes the whole connection to the driver, because MikroORM reads only host and login. */
function ormOver(connection: Connection, log: Logger, pool: PoolConfig): MikroORM {
  return new MikroORM({
    entities: ENTITIES,
    dbName: connection.database,
    driverOptions: { ...connection, ...pool, Client: AnswerTimeoutClient },
    extensions: [Migrator],
    migrations: MIGRATING,
    // Otherwise a schema diff would drop the tables of the job queue and of the sandbox.
    schemaGenerator: { ignoreSchema: ['graphile_worker', 'sandbox'] },
    logger: (message) => log.debug(message),
    ensureDatabase: false,
  });
}

/**
 * Migrates our schema and that of the job queue. Several processes may call it at the same time.
 *
 * @returns the names of the applied migrations; empty if the schema was up to date
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

/** Returns the names of migrations that are not yet applied. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const pending = await orm.migrator.getPending();
  return pending.map(({ name }) => name);
}
