import { firstIdAt } from '../../base/ids.ts';

const DAY_MS = 86_400_000;

export const WEEK_MS = 7 * DAY_MS;

/** The first Monday since the Unix epoch: 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Time from the end of a week until its partition is replaced: the retention of delivered events, and the longest retries. */
const REPLACED_AFTER_MS = 33 * DAY_MS;

/** Time that the replacement of a partition has. Then batches delete what is left, because locks may prevent the replacement. */
const REPLACEMENT_MS = DAY_MS;

/** Weeks that have a partition before they begin. */
const WEEKS_AHEAD = 4;

/** A week of events, and the partition of their ids. */
export interface Week {
  /** Name of the partition, such as `w20300617`. */
  name: string;
  fromId: string;
  /** First id after the week. */
  toId: string;
}

/** Returns the beginning of the week that contains the time: Monday, 00:00 UTC. */
export function weekStart(at: Date): Date {
  return new Date(at.getTime() - ((((at.getTime() - FIRST_MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS));
}

/** Returns the week that contains the time. */
export function weekOf(at: Date): Week {
  const start = weekStart(at);
  return {
    name: `w${start.toISOString().slice(0, 10).replaceAll('-', '')}`,
    fromId: firstIdAt('event', start),
    toId: firstIdAt('event', new Date(start.getTime() + WEEK_MS)),
  };
}

/** Returns the weeks that need a partition: from the oldest that is not to be replaced yet, to four weeks ahead. */
export function weeksWithPartition(now: Date): Week[] {
  const weeks: Week[] = [];
  const endMs = now.getTime() + WEEKS_AHEAD * WEEK_MS;
  for (let ms = weekStart(replaceableBefore(now)).getTime(); ms <= endMs; ms += WEEK_MS)
    weeks.push(weekOf(new Date(ms)));
  return weeks;
}

/** Returns the time before which a partition must end to be replaced by its survivors. */
export function replaceableBefore(now: Date): Date {
  return new Date(now.getTime() - REPLACED_AFTER_MS);
}

/**
 * Returns the time before which batches delete delivered events of partitioned tables. Younger ones stay until their
 * partition is replaced.
 */
export function batchesDeleteBefore(now: Date): Date {
  return weekStart(new Date(replaceableBefore(now).getTime() - REPLACEMENT_MS));
}
