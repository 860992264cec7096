import { asPartOf, presentWorks, type Work } from '../../base/diagnostics.ts';
import { presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';
import { createLimiter } from './limiter.ts';

/**
 * Treatment of rows that other transactions have locked (docs/decisions/0013-batches.md has a picture):
 * - `short`: the statement waits for a short time, then fails.
 * - `skip`: leaves out items with a locked row, and returns `LOCKED` for them.
 * - `full`: waits up to the lock timeout, then fails.
 */
export type LockWait = 'short' | 'skip' | 'full';

/**
 * Longest wait for one lock, in milliseconds. A row for which other transactions wait takes two waits: one for the queue and one
 * for the row. `short` is longer than a statement usually keeps its locks, even on a slow disk. It is limited because the
 * waiting statement keeps locks, too. `skip` is the shortest wait that outlasts a commit in progress.
 */
export const LOCK_WAIT_MS: Readonly<Record<LockWait, number>> = { short: 100, skip: 10, full: 2_000 };

/** Result of an item that the statement left out because a row is locked. */
export const LOCKED: unique symbol = Symbol('locked');

/** Runs the items of one batch in one statement. Returns one result for each item, in the same order. */
type Run<Item, Result> = (items: readonly Item[], wait: LockWait) => Promise<readonly (Result | typeof LOCKED)[]>;

/** Limits of batches, and the lanes of their items. */
export interface BatchOptions<Item, Result> extends Partial<LaneOptions<Item, Result>> {
  /** Largest number of items in one batch. */
  size: number;
  /** Largest number of concurrent batches. */
  concurrency: number;
  /** Time after which a running batch no longer counts for `concurrency`, because it probably waits for a lock. Default: no limit. */
  slotTimeoutMs?: number;
  /** Returns the time for which an idle batcher waits for further items to share the batch. Default: none. */
  gatherMsOf?: (item: Item) => number;
  /** Longest wait of an item for its batch. After that, it rejects with `DatabaseUnavailable`. Default: no limit. */
  maxWaitMs?: number;
}

/** Limits of statements that requests share: one at a time, and at most five seconds until it starts. */
export const REQUEST_LIMITS = { concurrency: 1, slotTimeoutMs: 50, maxWaitMs: 5_000 } as const;

/** A call that has no result yet. */
interface Call<Item, Result> {
  item: Item;
  /** Time of arrival, by `performance.now()`. */
  sinceMs: number;
  /** The caller's time budget, and the works that metrics and traces observe. */
  budget: ReturnType<typeof presentBudget>;
  works: readonly Work[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins single calls to the database into batches. A batch has the calls of one event loop turn, and the calls that arrived
 * while `concurrency` batches were running. So a single call starts at once, and many calls cost few round trips. `run` must
 * be one transaction.
 *
 * A batch keeps its locks while it waits for another one, so it waits only briefly. With `laneOf`, items whose row is locked leave
 * the batch and wait in a lane. If the statement fails for another reason, each item is retried alone, so that one bad item does
 * not fail the others.
 *
 * A call rejects with the error of `run`, or with `DatabaseUnavailable` if its batch does not start in time.
 */
export function createBatcher<Item, Result>(
  run: Run<Item, Result>,
  {
    size,
    concurrency,
    slotTimeoutMs,
    gatherMsOf = () => 0,
    maxWaitMs = Number.POSITIVE_INFINITY,
    laneOf,
    ...others
  }: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const waiting: Call<Item, Result>[] = [];
  const lanes = laneOf && createLanes(run, { size, laneOf, ...others });
  let running = 0;
  let isScheduled = false;
  let gathering: NodeJS.Timeout | undefined;

  const rejectOverdue = (): void => {
    const oldestMs = performance.now() - maxWaitMs;
    // Otherwise calls would accumulate while the database hangs, and run after their callers have left.
    while (waiting[0] !== undefined && waiting[0].sinceMs < oldestMs) {
      waiting.shift()?.reject(new DatabaseUnavailable(new Error('the call waited too long for its batch')));
    }
  };
  const start = (): void => {
    isScheduled = false;
    clearTimeout(gathering);
    gathering = undefined;
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
      void settle(batch, 'short').then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };
  const leaveToLane = (call: Call<Item, Result>, error: unknown): void => {
    if (lanes === undefined) call.reject(error);
    else lanes.push(call);
  };
  const settle = async (batch: readonly Call<Item, Result>[], wait: 'short' | 'skip'): Promise<void> => {
    const isFailed = (error: unknown) => (!isOfStatement(error) || batch.length === 1) && !isLockTimeout(error);
    try {
      for (const [call, result] of await resultsOf(batch, (items) => run(items, wait))) {
        if (result === LOCKED) leaveToLane(call, new Error('a statement without lanes returned LOCKED'));
        else call.resolve(result);
      }
    } catch (error) {
      if (isFailed(error)) for (const { reject } of batch) reject(error);
      else if (batch.length === 1) for (const call of batch) leaveToLane(call, error);
      else if (wait === 'short' && isLockTimeout(error)) await settle(batch, 'skip');
      else for (const call of batch) await settle([call], 'skip');
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
      const gatherMs = gatherMsOf(item);
      if (gatherMs > 0) {
        gathering ??= setTimeout(start, gatherMs);
        return;
      }
      isScheduled = true;
      setImmediate(start);
    });
}

/**
 * Runs a statement for the calls, with the time budget that ends last. Returns each call with its result.
 *
 * @throws Error if the number of results differs from the number of calls; the error of the statement
 */
async function resultsOf<Item, Result, Answer>(
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

/** Limits of lanes, in which items wait for locks apart from other items. */
interface LaneOptions<Item, Result> {
  /** Returns the lane of an item, such as its practice. Items of one lane wait together. */
  laneOf: (item: Item) => string;
  /**
   * `places` is the number of lanes that may run at the same time, with one connection each. An item that waits longer than
   * `maxWaitMs` for its lane rejects with `DatabaseUnavailable`. Default: two places, three seconds.
   */
  lanes?: { places: number; maxWaitMs: number };
  /**
   * Treatment of an item with the key of an item in a lane, such as a repeated request. `lookUp` answers it at once, and must not
   * wait for locks. Default: no item repeats another one.
   */
  repetitions?: { keyOf: (item: Item) => string; lookUp: (items: readonly Item[]) => Promise<readonly Result[]> };
}

/** Time for which a lane without items remains after a lock timeout. A lock that was kept so long is often kept longer. */
const LANE_LIFETIME_MS = 5_000;

interface Lane<Item, Result> {
  waiting: Call<Item, Result>[];
  isRunning: boolean;
  /** Ends a lane without items some time after its last lock timeout. */
  remains?: NodeJS.Timeout | undefined;
}

/**
 * Creates lanes. A lane has the items that wait for the same lock. It runs one statement at a time for all of them, so it uses
 * one connection. Lanes run round robin. After a lock timeout, all items of the statement reject.
 */
function createLanes<Item, Result>(
  run: Run<Item, Result>,
  {
    size,
    laneOf,
    lanes: { places, maxWaitMs } = { places: 2, maxWaitMs: 3_000 },
    repetitions,
  }: LaneOptions<Item, Result> & { size: number },
) {
  const lanes = new Map<string, Lane<Item, Result>>();
  const keys = new Set<string>();
  const lookUp = repetitions && createBatcher<Item, Result>(repetitions.lookUp, { size, concurrency: 1 });
  const limiter = createLimiter({ placesPerName: 1, placesInAll: places, maxWaitMs });

  const settle = async (calls: readonly Call<Item, Result>[]): Promise<boolean> => {
    try {
      for (const [call, result] of await resultsOf(calls, (items) => run(items, 'full'))) {
        if (result === LOCKED) throw new Error('a statement that waits in full for locks returned LOCKED');
        call.resolve(result);
      }
      return false;
    } catch (error) {
      if (calls.length === 1 || !isOfStatement(error) || isLockTimeout(error)) {
        for (const { reject } of calls) reject(error);
        return isLockTimeout(error);
      }
    }
    let isTimeout = false;
    for (const call of calls) isTimeout = (await settle([call])) || isTimeout;
    return isTimeout;
  };
  /** Runs one statement for all calls of a lane; none if an earlier one took them along. */
  const runLane = async (name: string, lane: Lane<Item, Result>): Promise<void> => {
    const calls = lane.waiting.splice(0, size);
    if (calls.length === 0) return;
    lane.isRunning = true;
    const isTimeout = await settle(calls);
    lane.isRunning = false;
    if (!isTimeout) return;
    clearTimeout(lane.remains);
    lane.remains = setTimeout(() => {
      lane.remains = undefined;
      endIfIdle(name, lane);
    }, LANE_LIFETIME_MS).unref();
  };
  const endIfIdle = (name: string, lane: Lane<Item, Result>): void => {
    const isIdle = lane.waiting.length === 0 && !lane.isRunning && lane.remains === undefined;
    if (isIdle && lanes.get(name) === lane) lanes.delete(name);
  };
  /** Returns the call, whose key is forgotten when it settles, before its caller can repeat it. */
  const rememberKey = (call: Call<Item, Result>, key: string): Call<Item, Result> => {
    keys.add(key);
    return {
      ...call,
      resolve(result) {
        keys.delete(key);
        call.resolve(result);
      },
      reject(error) {
        keys.delete(key);
        call.reject(error);
      },
    };
  };
  const push = (call: Call<Item, Result>): void => {
    const key = repetitions?.keyOf(call.item);
    if (key !== undefined && keys.has(key)) return void lookUp?.(call.item).then(call.resolve, call.reject);
    const entered = key === undefined ? call : rememberKey(call, key);
    const name = laneOf(call.item);
    const lane = lanes.get(name) ?? { waiting: [], isRunning: false };
    lanes.set(name, lane);
    lane.waiting.push(entered);
    const run = limiter.run(name, () => runLane(name, lane));
    // The limiter had no place in time. An earlier call of the lane may have taken this one along.
    const refuse = (error: unknown) => {
      const index = lane.waiting.indexOf(entered);
      if (index === -1) return;
      lane.waiting.splice(index, 1);
      entered.reject(error);
    };
    void run.catch(refuse).finally(() => endIfIdle(name, lane));
  };
  return {
    push,
    /** Adds the call if its lane exists: it has items, or had a lock timeout in the last five seconds. Otherwise returns false. */
    take(call: Call<Item, Result>): boolean {
      if (!lanes.has(laneOf(call.item))) return false;
      push(call);
      return true;
    },
  };
}
