import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { onConnection } from './connection/pool.ts';
import { UnusableDatabase } from './connection/unusable-database.ts';
import { lockBriefly, type RetryLimits } from './query/retry-on-locks.ts';
import { sql } from './query/sql.ts';

/*
 * Upgrade of a database of 1.x, besides the migrations: conditions before them, and work in batches. It changes and drops
 * what processes of 1.x use, so it is installed with a stop. Upgrades from 2.0.0 on need nothing of this file.
 */

/**
 * Age of the last heartbeat after which a worker of 1.x counts as ended. Its heartbeats come each second. One of the future is of a
 * clock that was wrong.
 */
const ENDED_AFTER_SECONDS = 10;

/** First number of the advisory locks that processes of 1.x keep while they have a session. */
const LOCK_OF_1X = 8_042_580;

/** Refuses an upgrade from 1.x that would lose or break something. @throws UnusableDatabase with the way out */
export async function requireUpgradable(em: EntityManager): Promise<void> {
  const [database] = await sql<{ major: number | null }>(em, 'select max(release[1]) as major from schema_functions');
  if (database?.major !== 1) return;
  await refuseWhileRunning(em);
  await refuseMoves(em);
}

/** A worker has heartbeats. Processes of the last 1.x, APIs included, also have locks; those of earlier ones have none. */
async function refuseWhileRunning(em: EntityManager): Promise<void> {
  const [found] = await sql<{ heartbeats: number; locks: number }>(
    em,
    `select (select count(*)::integer from job_runner_heartbeats
         where abs(extract(epoch from clock_timestamp() - seen_at)) < $1) as heartbeats,
       (select count(distinct l.objid)::integer from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and l.objsubid = 2
           and l.classid = $2::bigint::oid) as locks`,
    [ENDED_AFTER_SECONDS, LOCK_OF_1X],
  );
  if (found === undefined || found.heartbeats + found.locks === 0) return;
  throw new UnusableDatabase(
    'Processes of version 1.x run on this database, and 2.0.0 changes what they use.',
    `Stop all of them, API and workers, wait ${ENDED_AFTER_SECONDS} seconds, and run scripts/paylinks migrate again.`,
  );
}

/** Versions before 2.0.0 moved practices between cells. This one would serve rows that a moved practice has left behind. */
async function refuseMoves(em: EntityManager): Promise<void> {
  const [table] = await sql<{ exists: boolean }>(em, `select to_regclass('practice_moves') is not null as exists`);
  if (table?.exists !== true) return;
  const practices = await sql<{ id: string; state: string }>(
    em,
    'select id, move_state as state from practices where move_state is not null order by id',
  );
  const listed = (isMoved: boolean) =>
    practices.flatMap(({ id, state }) => ((state === 'moved') === isMoved ? [id] : [])).join(' ');
  if (listed(false) !== '') {
    throw new UnusableDatabase(
      `Practices are in the middle of a move to another cell: ${listed(false)}.`,
      'Finish the move, or cancel it, with the installed version 1.x (paylinks practices move). 2.0.0 moves no practices.',
    );
  }
  if (listed(true) !== '') {
    throw new UnusableDatabase(
      `The database still has rows of practices that have moved to another cell: ${listed(true)}.`,
      `With the installed version 1.x, run: paylinks practices delete-moved ${listed(true)}`,
    );
  }
}

/** Links per transaction, with all rows that belong to them. */
const LINK_BATCH = 500;

/**
 * Brings the archived links of a version 1.x back to the other links, by an SQL function of that version. Migration 0065 then drops
 * the empty archive. It can be ended at any time and repeated.
 */
export async function restoreArchivedLinks(pool: Pool): Promise<void> {
  await onConnection(pool, async (client) => {
    const { rows } = await client.query<{ has_archive: boolean }>(
      `select to_regprocedure('restore_links(text[])') is not null as has_archive`,
    );
    if (rows[0]?.has_archive !== true) return;
    for (let last: string | null = ''; last !== null; ) {
      const batch: { rows: { last: string | null }[] } = await client.query(
        `select restore_links(array_agg(id)), max(id) as last
         from (select id from archive.payment_links where id > $1 order by id limit ${LINK_BATCH}) as next
         having count(*) > 0`,
        [last],
      );
      last = batch.rows[0]?.last ?? null;
    }
  });
}

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
const ROW_BATCH = 2_000;

/** Tries to get the lock of a table, or those of a batch: with their pauses, about a minute. */
const FILL_TRIES: RetryLimits = { tries: 200, pauseMs: 200 };

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

/** A column may be null as long as rows lack their practice, because `migrate` was ended before its end. */
async function isNullable(client: PoolClient, { table }: FilledTable): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = $1::regclass and attname = 'practice_id' and not attnotnull`,
    [table],
  );
  return rowCount === 1;
}

/** Goes over the rows in the order of their primary key. */
async function fill(client: PoolClient, filled: FilledTable): Promise<void> {
  let after: string[] | null = null;
  do {
    const first: string[] | null = after;
    after = await lockBriefly(client, () => fillBatch(client, filled, first), FILL_TRIES);
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
       select ${key.join(', ')} from ${table} ${after === null ? '' : isAfter} order by ${key.join(', ')} limit ${ROW_BATCH}
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
  const briefly = (statement: string) => lockBriefly(client, () => client.query(statement), FILL_TRIES);
  const check = `${table}_has_practice`;
  await briefly(`alter table ${table} drop constraint if exists ${check}`);
  await briefly(`alter table ${table} add constraint ${check} check (practice_id is not null) not valid`);
  await client.query(`alter table ${table} validate constraint ${check}`);
  // Two statements: in one, PostgreSQL drops the check first, and then reads the whole table under its lock.
  await briefly(`alter table ${table} alter practice_id set not null`);
  await briefly(`alter table ${table} drop constraint ${check}`);
}
