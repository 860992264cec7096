import { asPartOf, presentWorks, type Work } from '../../base/diagnostics.ts';
import { presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';
import { createLanes, type LaneOptions } from './lanes.ts';

/**
 * How a statement treats rows that other transactions have locked (docs/decisions/0013-batches.md has a picture):
 * - `briefly`: it waits for a short time, then fails.
 * - `never`: it leaves out items with a locked row and returns `BUSY` for them.
 * - `fully`: it waits as long as a caller may wait.
 */
export type LockWait = 'briefly' | 'never' | 'fully';

/**
 * Longest wait for one lock, in milliseconds. A row with other waiting transactions takes two waits: one for the queue and
 * one for the row. `briefly` is longer than a healthy statement keeps its locks, even on a slow disk. It is short because
 * the waiting statement keeps locks, too. `never` is the shortest wait that outlasts a commit in progress.
 */
export const LOCK_WAIT_MS: Readonly<Record<LockWait, number>> = { briefly: 100, never: 10, fully: 2_000 };

/** Result of an item that the statement left out because of a lock. */
export const BUSY: unique symbol = Symbol('busy');

/** Runs the items of one batch in one statement. Returns one result for each item, in the same order. */
type Run<Item, Result> = (items: readonly Item[], wait: LockWait) => Promise<readonly (Result | typeof BUSY)[]>;

/** Limits of batches, and the lanes of their items. */
export interface BatchOptions<Item, Result> extends Partial<LaneOptions<Item, Result>> {
  /** Largest number of items in one batch. */
  size: number;
  /** Largest number of concurrent batches. */
  concurrency: number;
  /** Time after which a running batch no longer counts: it waits for a lock. Default: it always counts. */
  slotTimeoutMs?: number;
  /** Longest wait of an item for its batch. Then it rejects with `DatabaseUnavailable`. Default: no limit. */
  maxWaitMs?: number;
}

/** Limits of statements that requests share: one at a time, five seconds for a connection. */
export const REQUEST_LIMITS = { concurrency: 1, slotTimeoutMs: 50, maxWaitMs: 5_000 } as const;

/** A call without a result so far. */
export interface Call<Item, Result> {
  item: Item;
  /** Time of arrival, by `performance.now()`. */
  sinceMs: number;
  /** Time budget and observed works of the caller. */
  budget: ReturnType<typeof presentBudget>;
  works: readonly Work[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins single calls to the database into batches. A batch has the calls of one event loop turn, and the calls that
 * arrived while `concurrency` batches were running. A single call starts at once; many calls cost few round trips. A batch
 * must be one transaction.
 *
 * With `laneOf`, a batch never waits long for a lock, because it keeps its own locks while it waits. Items whose row is locked
 * leave the batch and wait in a lane. If a batch fails for another reason, each item is retried alone, so one bad item cannot
 * fail the others.
 *
 * Calls reject with the error of `run`, or with `DatabaseUnavailable` if their batch does not start in time.
 */
export function batched<Item, Result>(
  run: Run<Item, Result>,
  {
    size,
    concurrency,
    slotTimeoutMs,
    maxWaitMs = Number.POSITIVE_INFINITY,
    laneOf,
    ...others
  }: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const waiting: Call<Item, Result>[] = [];
  const lanes = laneOf && createLanes(run, { size, laneOf, ...others });
  let running = 0;
  let isScheduled = false;

  const rejectOverdue = (): void => {
    const oldestMs = performance.now() - maxWaitMs;
    // While the database hangs, calls would accumulate and run after their callers left.
    while (waiting[0] !== undefined && waiting[0].sinceMs < oldestMs) {
      waiting.shift()?.reject(new DatabaseUnavailable(new Error('the call waited too long for its batch')));
    }
  };
  const start = (): void => {
    isScheduled = false;
    rejectOverdue();
    while (waiting.length > 0 && running < concurrency) {
      const batch: Call<Item, Result>[] = [];
      while (waiting.length > 0 && batch.length < size) {
        batch.push(...waiting.splice(0, size - batch.length).filter((call) => lanes?.take(call) !== true));
      }
      if (batch.length === 0) return;
      running++;
      let hasLeft = false;
      const leave = (): void => {
        if (hasLeft) return;
        hasLeft = true;
        running--;
        start();
      };
      const timer = slotTimeoutMs === undefined ? undefined : setTimeout(leave, slotTimeoutMs).unref();
      void settle(batch, 'briefly').then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };
  const leaveToLane = (call: Call<Item, Result>, error: unknown): void => {
    if (lanes === undefined) call.reject(error);
    else lanes.push(call);
  };
  const settle = async (batch: readonly Call<Item, Result>[], wait: 'briefly' | 'never'): Promise<void> => {
    const isFailed = (error: unknown) => (!isOfStatement(error) || batch.length === 1) && !isLockTimeout(error);
    try {
      for (const [call, result] of await resultsOf(batch, (items) => run(items, wait))) {
        if (result === BUSY) leaveToLane(call, new Error('a statement without lanes returned BUSY'));
        else call.resolve(result);
      }
    } catch (error) {
      if (isFailed(error)) for (const { reject } of batch) reject(error);
      else if (batch.length === 1) for (const call of batch) leaveToLane(call, error);
      else if (wait === 'briefly' && isLockTimeout(error)) await settle(batch, 'never');
      else for (const call of batch) await settle([call], 'never');
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const caller = { budget: presentBudget(), works: presentWorks() };
      const call = { item, sinceMs: performance.now(), ...caller, resolve, reject };
      if (lanes?.take(call)) return;
      waiting.push(call);
      if (running >= concurrency) return rejectOverdue();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(start);
    });
}

/**
 * Runs a statement for the calls, with the longest of their time budgets. Returns each call with its result.
 *
 * @throws Error if the number of results differs from the number of calls; the error of the statement
 */
export async function resultsOf<Item, Result, Answer>(
  calls: readonly Call<Item, Result>[],
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<[Call<Item, Result>, Answer][]> {
  const works = calls.flatMap((call) => call.works);
  const results = await withinLatest(
    calls.map(({ budget }) => budget),
    () => asPartOf(works, () => run(calls.map(({ item }) => item))),
  );
  if (results.length !== calls.length) throw new Error('a batch has one result for each of its items');
  return results.flatMap((result, index) => {
    const call = calls[index];
    return call === undefined ? [] : [[call, result]];
  });
}
