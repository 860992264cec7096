import { firstIdAt, timeOfId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { type RetryLimits, retryOnLocks } from '../../database/query/retry-on-locks.ts';
import { sql } from '../../database/query/sql.ts';
import { isPartitioned } from './state.ts';
import { WEEK_MS, weekStart } from './weeks.ts';

/** Tries to get a lock, and the pause between two. During a try, others wait behind it for up to 0.2 s per table. */
const TRIES: RetryLimits = { tries: 60, pauseMs: 1_000 };

/** Longest time of a conversion: the first partition ends at least so long after its start. */
const CONVERSION_MS = 86_400_000;

/** Time before the end of the first partition at which a worker removes the constraint of an interrupted conversion. */
const CLEAN_UP_MS = CONVERSION_MS / 2;

/** SQLSTATE of a row that a constraint forbids. */
const CHECK_VIOLATION = '23514';

/**
 * Partitions deliveries and their attempts by weeks. The present tables become the first partition, up to a Monday in one to
 * eight days; no row moves. They are read once, while other transactions go on. The change itself takes a moment under a lock.
 *
 * @param scope on a connection of its own without time limits, which has the owner's rights
 * @param limits tries to get a lock; about a minute by default
 * @returns false if they were partitioned already
 * @throws ConversionUnderWay; Error with the next step, if an id is in the future; the lock timeout, if others kept a lock
 */
export async function partitionDeliveries(scope: Scope, limits: RetryLimits = TRIES): Promise<boolean> {
  // The end of the connection unlocks it.
  const [lock] = await sql<{ free: boolean }>(
    scope.em,
    `select pg_try_advisory_lock(hashtextextended('partition_deliveries', 0)) as free`,
  );
  if (lock?.free !== true) throw new ConversionUnderWay();
  if (await isPartitioned(scope)) return false;
  const toId = firstIdAt(
    'event',
    new Date(weekStart(new Date(scope.clock.now().getTime() + CONVERSION_MS)).getTime() + WEEK_MS),
  );
  await retryOnLocks(() => sql(scope.em, 'select bound_whole_deliveries($1)', [toId]), limits);
  try {
    await sql(scope.em, 'alter table webhook_deliveries validate constraint before_partitions');
    await sql(scope.em, 'alter table webhook_attempts validate constraint before_partitions');
    await retryOnLocks(() => sql(scope.em, 'select partition_deliveries($1)', [toId]), limits);
  } catch (error) {
    await retryOnLocks(() => sql(scope.em, 'select unbound_whole_deliveries()'), limits);
    if (sqlState(error) !== CHECK_VIOLATION) throw error;
    throw new Error(
      `There are events of a time after ${new Date(timeOfId(toId)).toISOString()}. Correct the clocks, and wait.`,
    );
  }
  await sql(scope.em, 'analyze webhook_deliveries, webhook_attempts');
  return true;
}

/** Thrown if another process partitions the deliveries. */
export class ConversionUnderWay extends Error {
  readonly hint = 'Wait for it. `paylinks partitions list` shows the partitions when it has ended.';

  constructor() {
    super('Another process is partitioning the deliveries.');
    this.name = 'ConversionUnderWay';
  }
}

/** Removes the constraint that an interrupted conversion left, half a day before it would stop deliveries. */
export async function cleanUpConversion({ em, clock, log }: Scope): Promise<void> {
  const [row] = await sql<{ id: string }>(
    em,
    `select substring(pg_get_constraintdef(oid) from 'evt_[0-9a-z]+') as id from pg_constraint
     where conname = 'before_partitions' and conrelid in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)`,
  );
  if (row === undefined || clock.now().getTime() < timeOfId(row.id) - CLEAN_UP_MS) return;
  await retryOnLocks(() => sql(em, 'select unbound_whole_deliveries()'), TRIES);
  log.warn('a conversion of deliveries to partitions was not completed; it can be repeated');
}
