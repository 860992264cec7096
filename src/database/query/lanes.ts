import { asPartOf, type Work } from '../../base/diagnostics.ts';
import { type presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';

/** A call without a result so far. */
export interface Waiting<Item, Result> {
  item: Item;
  /** Time of arrival, by `performance.now()`. */
  sinceMs: number;
  /** Time budget of the caller. */
  budget: ReturnType<typeof presentBudget>;
  /** Observed works of the caller. */
  works: readonly Work[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Limits of lanes, and the results of repetitions. */
export interface LanesOptions<Item, Result> {
  /** Largest number of items in one statement. */
  size: number;
  /** Concurrent statements, each of a different lane. At most this many connections wait for locks. */
  places: number;
  /** Longest wait of an item for its statement. Then it rejects with `DatabaseUnavailable`. */
  maxWaitMs: number;
  /**
   * Returns the result of an item that must not wait because it repeats one that is queued or runs in its lane. Null if it may
   * wait. Default: all may.
   */
  resultOfRepetition?: (item: Item, queued: Item) => Result | null;
}

/** Queues of items that wait for locks, separate from all other items. */
export interface Lanes<Item, Result> {
  /** Returns true while items of this lane must not join a shared batch. */
  has(name: string): boolean;
  push(name: string, waiting: Waiting<Item, Result>): void;
}

interface Lane<Item, Result> {
  waiting: Waiting<Item, Result>[];
  /** Items of the running statement; empty if none runs. */
  running: readonly Waiting<Item, Result>[];
}

/** Time for which a lane remains after a lock timeout. A lock that was kept that long is often kept longer. */
const LANE_LIFETIME_MS = 5_000;

/**
 * Creates lanes. A lane has the items that wait for the same lock, such as those of one practice. It runs one statement
 * at a time for all of its items, so it uses one connection. Lanes get the free places in order.
 */
export function createLanes<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size, places, maxWaitMs, resultOfRepetition = () => null }: LanesOptions<Item, Result>,
): Lanes<Item, Result> {
  const lanes = new Map<string, Lane<Item, Result>>();
  /** Names of lanes with waiting items and without a running statement, in the order in which they start. */
  const queue: string[] = [];
  let underWay = 0;

  const fill = (): void => {
    while (underWay < places) {
      const name = queue.shift();
      const lane = name === undefined ? undefined : lanes.get(name);
      if (name === undefined || lane === undefined) return;
      // All items of the lane may have been rejected since it was queued.
      if (lane.waiting.length > 0) start(name, lane);
      else remove(name, lane);
    }
  };
  const start = (name: string, lane: Lane<Item, Result>): void => {
    underWay++;
    lane.running = lane.waiting.splice(0, size);
    void settle(run, lane.running).then((error) => {
      underWay--;
      lane.running = [];
      if (lane.waiting.length > 0) queue.push(name);
      else if (error === null) remove(name, lane);
      else setTimeout(remove, LANE_LIFETIME_MS, name, lane).unref();
      fill();
    });
  };
  const remove = (name: string, lane: Lane<Item, Result>): void => {
    if (lane.waiting.length === 0 && lane.running.length === 0 && lanes.get(name) === lane) lanes.delete(name);
  };
  const resultIn = (lane: Lane<Item, Result>, item: Item): Result | null => {
    for (const queued of [...lane.running, ...lane.waiting]) {
      const result = resultOfRepetition(item, queued.item);
      if (result !== null) return result;
    }
    return null;
  };
  return {
    has: (name) => lanes.has(name),
    push(name, waiting) {
      const lane = lanes.get(name) ?? { waiting: [], running: [] };
      const result = resultIn(lane, waiting.item);
      if (result !== null) return waiting.resolve(result);
      lanes.set(name, lane);
      lane.waiting.push(waiting);
      if (Number.isFinite(maxWaitMs)) setTimeout(rejectWaiting, maxWaitMs, lane, waiting).unref();
      if (lane.running.length === 0 && !queue.includes(name)) queue.push(name);
      fill();
    },
  };
}

function rejectWaiting<Item, Result>(lane: Lane<Item, Result>, waiting: Waiting<Item, Result>): void {
  const index = lane.waiting.indexOf(waiting);
  if (index === -1) return;
  lane.waiting.splice(index, 1);
  waiting.reject(new DatabaseUnavailable(new Error('the call waited too long in its lane')));
}

/**
 * Runs the items of one lane and resolves each call with its result. After a lock timeout all items reject, because they
 * wait for the same lock. If the statement fails for another reason, each item runs alone.
 *
 * @returns the last error; null if there was none
 */
async function settle<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  items: readonly Waiting<Item, Result>[],
): Promise<unknown> {
  try {
    const budgets = items.map(({ budget }) => budget);
    const works = items.flatMap((call) => call.works);
    const ofItems = () => run(items.map(({ item }) => item));
    resolveAll(items, await withinLatest(budgets, () => asPartOf(works, ofItems)));
    return null;
  } catch (error) {
    if (items.length === 1 || !isOfStatement(error) || isLockTimeout(error)) {
      for (const { reject } of items) reject(error);
      return error;
    }
  }
  let last: unknown = null;
  for (const one of items) {
    if (isLockTimeout(last)) one.reject(last);
    else last = (await settle(run, [one])) ?? last;
  }
  return last;
}

/** Resolves each call with its result. @throws Error if the number of results differs from the number of calls */
export function resolveAll<Item, Result>(calls: readonly Waiting<Item, Result>[], results: readonly Result[]): void {
  if (results.length !== calls.length) throw new Error('a batch has one result for each of its items');
  for (const [index, result] of results.entries()) calls[index]?.resolve(result);
}
