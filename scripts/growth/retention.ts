import { createLogger } from '../../src/base/log/log.ts';
import { fresh, type Scope } from '../../src/base/scope.ts';
import { emptyKeyring } from '../../src/base/secrets.ts';
import { createOrm } from '../../src/service-orm.ts';
import { purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import type { Query } from '../chaos/evidence.ts';
import { replacementOf, replaceWeeks } from './partition.ts';

/* Retention as a worker runs it, at a time in the future at which it has something to do. */

/** Result of a run of retention. */
export interface Retained {
  deleted: number;
  seconds: number;
  /** Write-ahead log of everybody in that time. */
  walMb: number;
  /** Growth of the database's files. */
  grownMb: number;
}

/** Runs the work, and measures what it costs. */
async function costOf(query: Query, work: () => Promise<number>): Promise<Retained> {
  const state = async () => {
    const [row] = await query<{ wal: string; size: string }>(
      `select pg_current_wal_lsn() - '0/0' as wal, pg_database_size(current_database()) as size`,
    );
    return { wal: Number(row?.wal), size: Number(row?.size) };
  };
  const before = await state();
  const startedMs = performance.now();
  const deleted = await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = await state();
  return { deleted, seconds, walMb: (after.wal - before.wal) / 1e6, grownMb: (after.size - before.size) / 1e6 };
}

/**
 * Deletes in batches.
 *
 * @param at   the present of the worker; what is older than its retention by then is deleted
 * @param forMs  ends after this time
 */
export function deleteInBatches(url: string, query: Query, at: Date, forMs: number): Promise<Retained> {
  return costOf(query, async () => {
    const log = createLogger('silent');
    const orm = createOrm(url, log, 1);
    const publicUrl = 'https://pay.example.com';
    const clock = { now: () => at, shared: () => at };
    const scope: Scope = { em: orm.em, clock, log, keyring: emptyKeyring, publicUrl, consoleUrl: publicUrl };
    const before = await deletedSoFar(query);
    const untilMs = performance.now() + forMs;
    try {
      while (performance.now() < untilMs && (await purgeOldDeliveries(fresh(scope))));
    } finally {
      await orm.close();
    }
    return (await deletedSoFar(query)) - before;
  });
}

/** Deletions of deliveries since the statistics began. Those of a closed connection are all counted. */
async function deletedSoFar(query: Query): Promise<number> {
  const [row] = await query<{ deleted: number }>(
    `select sum(n_tup_del)::float8 as deleted from pg_stat_user_tables where relname ~ '^webhook_deliveries'`,
  );
  return row?.deleted ?? 0;
}

/** Replaces one week by its survivors. */
export function replaceOneWeek(url: string, query: Query, now: Date): Promise<Retained> {
  return costOf(query, async () => {
    const before = await rowsOfPartitions(query);
    await replaceWeeks(url, replacementOf(now));
    return before - (await rowsOfPartitions(query));
  });
}

/** Estimate of the server, which is exact to one per cent. */
async function rowsOfPartitions(query: Query): Promise<number> {
  const [row] = await query<{ rows: number }>(
    `select sum(greatest(0, c.reltuples))::float8 as rows
     from delivery_partitions join pg_class c on c.oid = to_regclass('webhook_deliveries_' || name)`,
  );
  return row?.rows ?? 0;
}
