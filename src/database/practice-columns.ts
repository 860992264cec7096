import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { onConnection } from './connection/pool.ts';
import { isLockTimeout } from './query/errors.ts';

/*
 * Fills the columns `practice_id` that migration 0030 added. One statement over millions of attempts would lock them for
 * minutes, so it is no part of the migration. The service runs before, during and after it.
 */

/** A table whose rows get their practice from a parent. */
interface FilledTable {
  table: string;
  parent: string;
  /** Column that names the parent's row. It is the first of the primary key. */
  column: string;
}

const TABLES: readonly FilledTable[] = [
  { table: 'idempotent_replies', parent: 'api_keys', column: 'api_key_id' },
  { table: 'sealed_replies', parent: 'api_keys', column: 'api_key_id' },
  { table: 'daily_link_counts', parent: 'api_keys', column: 'api_key_id' },
  { table: 'webhook_attempts', parent: 'webhook_deliveries', column: 'delivery_id' },
];

/** Rows of the parent per statement. An attempt is locked for as long as its batch is written. */
const BATCH = 2_000;

/** Tries to get the lock of a table. All its writers wait during a try. */
const MAX_TRIES = 100;
const LOCK_TIMEOUT = '100ms';
const PAUSE_MS = 200;

/**
 * The advisory lock that lets only one process fill at a time. Others wait, and then find nothing to do. No partition of
 * attempts is replaced at that time (`replace_delivery_partition`).
 */
export const FILL_LOCK = 8_042_578;

/** Fills the columns of existing rows, and then makes them `not null`. It can be ended at any time and repeated. */
export function fillPracticeColumns(pool: Pool): Promise<void> {
  return onConnection(pool, async (client) => {
    await client.query('select pg_advisory_lock($1)', [FILL_LOCK]);
    for (const filled of TABLES) {
      if (!(await isNullable(client, filled))) continue;
      await fill(client, filled);
      await demand(client, filled);
    }
    await client.query('select pg_advisory_unlock($1)', [FILL_LOCK]);
  });
}

/** Returns the tables that have rows without their practice, because `migrate` was ended before its end. */
export async function unfilledTables(client: Pick<PoolClient, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute
     where attname = 'practice_id' and not attnotnull and attrelid = any ($1::regclass[])`,
    [TABLES.map(({ table }) => table)],
  );
  return rows.map(({ name }) => name);
}

async function isNullable(client: PoolClient, { table }: FilledTable): Promise<boolean> {
  return (await unfilledTables(client)).includes(table);
}

/** Goes over the parent in the order of its primary key. Triggers have filled the rows inserted since the migration. */
async function fill(client: PoolClient, { table, parent, column }: FilledTable): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const { rows }: { rows: { last: string | null }[] } = await client.query(
      `with batch as (
         select id, practice_id from ${parent} where id > $1 order by id limit $2
       ), filled as (
         update ${table} t set practice_id = batch.practice_id from batch
         where t.${column} = batch.id and t.practice_id is null
       )
       select max(id) as last from batch`,
      [after, BATCH],
    );
    after = rows[0]?.last ?? null;
  }
}

/** Makes the column `not null`. The check is validated without a lock that writers need, so the last step reads no row. */
async function demand(client: PoolClient, { table }: FilledTable): Promise<void> {
  const check = `${table}_has_practice`;
  await briefly(client, `alter table ${table} drop constraint if exists ${check}`);
  await briefly(client, `alter table ${table} add constraint ${check} check (practice_id is not null) not valid`);
  await client.query(`alter table ${table} validate constraint ${check}`);
  // Two statements: in one, PostgreSQL drops the check first, and then reads the whole table under its lock.
  await briefly(client, `alter table ${table} alter practice_id set not null`);
  await briefly(client, `alter table ${table} drop constraint ${check}`);
}

/** Runs a statement that locks a whole table. While it waits for the lock, all writers wait behind it, so it waits briefly. */
async function briefly(client: PoolClient, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
      await client.query(statement);
      return;
    } catch (error) {
      if (!isLockTimeout(error) || tries === MAX_TRIES) throw error;
      await pause(PAUSE_MS);
    } finally {
      await client.query('set lock_timeout = 0');
    }
  }
}
