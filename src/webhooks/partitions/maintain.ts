import { firstIdAt } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import type { WithoutTimeLimits } from '../../database/maintenance.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import type { RetryLimits } from '../../database/query/retry-on-locks.ts';
import { sql } from '../../database/query/sql.ts';
import { retentionTimes } from '../model/retention-times.ts';
import { ConversionUnderWay, cleanUpConversion, partitionDeliveries } from './convert.ts';
import { deliveriesInWholeTable, findPartitions, isPartitioned, type Partition } from './state.ts';
import { replaceableBefore, type Week, weeksWithPartition } from './weeks.ts';

/** Most deliveries that move out of the default partition at once, because all other transactions wait for them. */
const MOST_MOVED = 5_000;

/**
 * Tries of a worker to get a lock, fewer than those of the command. A backup may keep it out for hours, and each try makes
 * others wait for 0.2 seconds per table.
 */
const CONVERSION_TRIES: RetryLimits = { tries: 5, pauseMs: 1_000 };

/** Settings of the maintenance of partitions. */
export interface PartitionSettings {
  /** Runs work with a scope on a connection without time limits. */
  withoutTimeLimits: WithoutTimeLimits;
  /** Number of deliveries above which whole tables are partitioned; null for never. */
  partitionAboveDeliveries: number | null;
}

/**
 * Partitions tables that have become larger than the configured size. Adds the partitions of the next weeks, replaces those
 * whose time has come by their survivors, and drops empty ones. Each step is a transaction, and a process that dies between
 * two leaves nothing to clean up. A step that does not get its locks changes nothing, and the next run tries it again.
 *
 * @param shouldContinue called before each step; false ends the run
 */
export async function maintainPartitions(
  scope: Scope,
  { withoutTimeLimits, partitionAboveDeliveries: most }: PartitionSettings,
  shouldContinue: () => boolean,
): Promise<void> {
  if (!(await isPartitioned(scope))) {
    await unlessLocked(scope, 'first', () => cleanUpConversion(scope));
    if (most === null || (await deliveriesInWholeTable(scope)) <= most) return;
    await withoutTimeLimits((unlimited) => unlessLocked(unlimited, 'first', () => convert(unlimited)));
    if (!(await isPartitioned(scope))) return;
  }
  await withoutTimeLimits((unlimited) => maintain(unlimited, shouldContinue));
}

/** Partitions the tables, as the operator's command does. */
async function convert(scope: Scope): Promise<void> {
  const deliveries = await deliveriesInWholeTable(scope);
  try {
    if (!(await partitionDeliveries(scope, CONVERSION_TRIES))) return;
  } catch (error) {
    if (!(error instanceof ConversionUnderWay)) throw error;
    scope.log.info(error.message);
    return;
  }
  scope.log.info({ deliveries }, 'deliveries are partitioned, because there are more than configured');
}

async function maintain(scope: Scope, shouldContinue: () => boolean): Promise<void> {
  await addMissing(scope, shouldContinue);
  const before = firstIdAt('event', replaceableBefore(scope.clock.now()));
  for (const partition of await findPartitions(scope)) {
    if (partition.toId > before || !shouldContinue()) return;
    await unlessLocked(scope, partition.name, async () => {
      const { name } = partition.replacedAt === null ? await replace(scope, partition) : partition;
      await sql(scope.em, 'select drop_delivery_partition($1)', [name]);
    });
  }
}

/** Adds the partitions that are missing. New ones are analyzed with their parents, which autovacuum never analyzes. */
export async function addMissing(scope: Scope, shouldContinue: () => boolean): Promise<void> {
  const existing = await findPartitions(scope);
  const missing = weeksWithPartition(scope.clock.now()).filter(({ fromId }) =>
    existing.every((other) => fromId >= other.toId || (other.fromId !== null && fromId < other.fromId)),
  );
  for (const week of missing) {
    if (!shouldContinue()) return;
    await unlessLocked(scope, week.name, () => add(scope, week));
  }
  const added = (await findPartitions(scope)).length - existing.length;
  if (added > 0) await sql(scope.em, 'analyze webhook_deliveries, webhook_attempts');
}

async function add({ em, log }: Scope, { name, fromId, toId }: Week): Promise<void> {
  const values = [name, fromId, toId, MOST_MOVED];
  const [row] = await sql<{ moved: number | null }>(
    em,
    'select add_delivery_partition($1, $2, $3, $4) as moved',
    values,
  );
  if (row?.moved === null)
    log.warn({ partition: name }, 'the default partition has too many deliveries of this week to move');
  else if ((row?.moved ?? 0) > 0)
    log.warn({ partition: name, moved: row?.moved }, 'deliveries left the default partition');
}

/** Replaces the partition by its survivors. Changes are recorded from the first statement on, until the second one ends. */
async function replace({ em, clock, log }: Scope, { name }: Partition): Promise<{ name: string }> {
  const now = clock.now();
  const { deliveredBefore, createdBefore, attemptedBefore } = retentionTimes(now);
  const survivors = `${name}_kept`;
  await sql(em, 'select watch_delivery_partition($1)', [name]);
  const [row] = await sql<{ kept: number; removed: number }>(
    em,
    'select * from replace_delivery_partition($1, $2, $3, $4, $5, $6)',
    [name, survivors, now, deliveredBefore, createdBefore, attemptedBefore],
  );
  log.info({ partition: name, ...row }, 'a partition of deliveries was replaced by its survivors');
  return { name: survivors };
}

/** Runs a step. If other transactions keep the locks that it needs, it is left to the next run. */
async function unlessLocked(scope: Scope, partition: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    scope.log.info({ partition }, 'a partition is locked; the next run tries again');
  }
}
