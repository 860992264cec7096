import { timeOfId } from '../../src/base/ids.ts';
import { createLogger } from '../../src/base/log/log.ts';
import type { Scope } from '../../src/base/scope.ts';
import { emptyKeyring } from '../../src/base/secrets.ts';

import { withoutTimeLimits } from '../../src/database/maintenance.ts';
import { sql } from '../../src/database/query/sql.ts';
import { partitionDeliveries } from '../../src/webhooks/partitions/convert.ts';
import { addMissing, maintainPartitions } from '../../src/webhooks/partitions/maintain.ts';
import { replaceableBefore, weeksWithPartition } from '../../src/webhooks/partitions/weeks.ts';

/* Partitions as they are in a database that has been partitioned for longer than it keeps deliveries. */

const DAY_MS = 86_400_000;

/** Age of the partitions. All deliveries are younger. */
const PARTITIONED_FOR_DAYS = 110;

/** Partitions are made four weeks ahead, so this finds every week. */
const STEP_DAYS = 21;

/** Partitions the deliveries of an empty database, with the weeks of the past. Empty weeks stay until `replaceWeeks`. */
export async function partitionEmpty(url: string, now: Date): Promise<void> {
  await onDatabase(url, now, async (scope) => {
    const at = (days: number): Scope => {
      const past = new Date(now.getTime() - days * DAY_MS);
      return { ...scope, clock: { now: () => past, shared: () => past } };
    };
    await partitionDeliveries(at(PARTITIONED_FOR_DAYS));
    for (let days = PARTITIONED_FOR_DAYS; days > 0; days -= STEP_DAYS) await addMissing(at(days), () => true);
    await addMissing(at(0), () => true);
    // Their rows will be survivors only.
    const oldest = weeksWithPartition(now)[0]?.fromId;
    await sql(scope.em, 'update delivery_partitions set replaced_at = $1 where to_id <= $2', [now, oldest ?? '']);
  });
}

/** Returns the time of the oldest delivered events in partitioned tables: the oldest week that was not replaced yet. */
export function oldestInPartitions(now: Date): Date {
  const [week] = weeksWithPartition(now);
  if (week === undefined) throw new Error('there is a present week');
  return new Date(timeOfId(week.fromId));
}

/** Returns the time at which that week is to be replaced, and no other. */
export function replacementOf(now: Date): Date {
  const untilReplaced = oldestInPartitions(now).getTime() + 7 * DAY_MS - replaceableBefore(now).getTime();
  return new Date(now.getTime() + untilReplaced + 60_000);
}

/** Replaces the weeks whose time has come, as a worker does at that time. */
export async function replaceWeeks(url: string, at: Date): Promise<void> {
  await onDatabase(url, at, maintain);
}

function maintain(scope: Scope): Promise<void> {
  return maintainPartitions(
    scope,
    { withoutTimeLimits: (work) => work(scope), partitionAboveDeliveries: null },
    () => true,
  );
}

/** Runs work on a connection without time limits, with a clock that stands still. */
async function onDatabase(url: string, now: Date, work: (scope: Scope) => Promise<void>): Promise<void> {
  const log = createLogger('silent');
  const publicUrl = 'https://pay.example.com';
  const clock = { now: () => now, shared: () => now };
  await withoutTimeLimits(url, log, (em) =>
    work({ em, clock, log, keyring: emptyKeyring, publicUrl, consoleUrl: publicUrl }),
  );
}
