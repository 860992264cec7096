import type { Pool, PoolClient } from 'pg';
import { onConnection } from './connection/pool.ts';
import { lockBriefly, type RetryLimits } from './query/retry-on-locks.ts';

/*
 * Fills the columns `practice_id` that migration 0030 added. One statement over millions of attempts would lock them for
 * minutes, so it is no part of the migration. No row without its practice is inserted any more.
 */

/** A table whose rows get their practice from a parent. */
interface FilledTable {
  table: string;
  parent: string;
  /** Columns of the primary key. The first one names the parent's row. */
  key: readonly [string, ...string[]];
}

const TABLES: readonly FilledTable[] = [
  { table: 'idempotent_replies', parent: 'api_keys', key: ['api_key_id', 'idempotency_key'] },
  { table: 'sealed_replies', parent: 'api_keys', key: ['api_key_id', 'operation', 'idempotency_key'] },
  { table: 'daily_link_counts', parent: 'api_keys', key: ['api_key_id', 'day'] },
  { table: 'webhook_attempts', parent: 'webhook_deliveries', key: ['delivery_id', 'number'] },
];

/** Rows per statement. A row is locked for as long as its batch is written. */
const BATCH = 2_000;

/** Tries to get the lock of a table, or those of a batch: with their pauses, about a minute. */
const TRIES: RetryLimits = { tries: 200, pauseMs: 200 };

/** The advisory lock that lets only one process fill at a time. Others wait, and then find nothing to do. */
const FILL_LOCK = 8_042_578;

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

/** Goes over the rows in the order of their primary key. */
async function fill(client: PoolClient, filled: FilledTable): Promise<void> {
  let after: string[] | null = null;
  do {
    const first: string[] | null = after;
    after = await lockBriefly(client, () => fillBatch(client, filled, first), TRIES);
  } while (after !== null);
}

/** Fills the rows after a key. @returns the last key of the batch; null behind the last row */
async function fillBatch(
  client: PoolClient,
  { table, parent, key }: FilledTable,
  after: readonly string[] | null,
): Promise<string[] | null> {
  const [column] = key;
  const isAfter = `where (${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`;
  const { rows } = await client.query<{ last: string[] }>(
    `with batch as (
       select ${key.join(', ')} from ${table} ${after === null ? '' : isAfter} order by ${key.join(', ')} limit ${BATCH}
     ), filled as (
       update ${table} t set practice_id = p.practice_id from batch b, ${parent} p
       where ${key.map((name) => `t.${name} = b.${name}`).join(' and ')} and p.id = t.${column} and t.practice_id is null
     )
     select array[${key.map((name) => `${name}::text`).join(', ')}] as last from batch
     order by ${key.map((name) => `${name} desc`).join(', ')} limit 1`,
    [...(after ?? [])],
  );
  return rows[0]?.last ?? null;
}

/** Makes the column `not null`. The check is validated without a lock that writers need, so the last step reads no row. */
async function demand(client: PoolClient, { table }: FilledTable): Promise<void> {
  const briefly = (statement: string) => lockBriefly(client, () => client.query(statement), TRIES);
  const check = `${table}_has_practice`;
  await briefly(`alter table ${table} drop constraint if exists ${check}`);
  await briefly(`alter table ${table} add constraint ${check} check (practice_id is not null) not valid`);
  await client.query(`alter table ${table} validate constraint ${check}`);
  // Two statements: in one, PostgreSQL drops the check first, and then reads the whole table under its lock.
  await briefly(`alter table ${table} alter practice_id set not null`);
  await briefly(`alter table ${table} drop constraint ${check}`);
}
