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

/** Limits of lanes. */
export interface LanesOptions {
  /** Largest number of items in one statement. */
  size: number;
  /** Concurrent statements, each of a different lane. At most this many connections wait for locks. */
  places: number;
  /** Longest wait of an item for its statement. Then it rejects with `DatabaseUnavailable`. */
  maxWaitMs: number;
}

/** Queues of items that wait for locks, separate from all other items. */
export interface Lanes<Item, Result> {
  /** Returns true while items of this lane must not join a shared batch. */
  has(name: string): boolean;
  push(name: string, waiting: Waiting<Item, Result>): void;
}

interface Lane<Item, Result> {
  waiting: Waiting<Item, Result>[];
  isRunning: boolean;
  /** Timer that ends the lane some time after its last lock timeout. */
  end?: NodeJS.Timeout | undefined;
}

/** Time for which a lane remains after a lock timeout. A lock that was kept that long is often kept longer. */
const LANE_LIFETIME_MS = 5_000;

/**
 * Creates lanes. A lane has the items that wait for the same lock, such as those of one practice. It runs one statement
 * at a time for all of its items, so it uses one connection. Lanes get the free places in order.
 */
export function createLanes<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size, places, maxWaitMs }: LanesOptions,
): Lanes<Item, Result> {
  const lanes = new Map<string, Lane<Item, Result>>();
  /** Names of lanes with waiting items and without a running statement, in the order in which they start. */
  const queue: string[] = [];
  let underWay = 0;

  const fill = (): void => {
    while (underWay < places) {
      const name = queue.shift();
      if (name === undefined) return;
      const lane = lanes.get(name);
      // All items of the lane may have been rejected since it was queued, and the lane may have ended.
      if (lane === undefined) continue;
      if (lane.waiting.length > 0) start(name, lane);
      else if (lane.end === undefined) remove(name, lane);
    }
  };
  const start = (name: string, lane: Lane<Item, Result>): void => {
    underWay++;
    lane.isRunning = true;
    void settle(run, lane.waiting.splice(0, size)).then((error) => {
      underWay--;
      lane.isRunning = false;
      if (lane.waiting.length > 0) queue.push(name);
      else if (error === null) remove(name, lane);
      else endLater(name, lane);
      fill();
    });
  };
  const remove = (name: string, lane: Lane<Item, Result>): void => {
    if (lane.waiting.length === 0 && !lane.isRunning && lanes.get(name) === lane) lanes.delete(name);
  };
  const endLater = (name: string, lane: Lane<Item, Result>): void => {
    clearTimeout(lane.end);
    const end = () => {
      lane.end = undefined;
      remove(name, lane);
    };
    lane.end = setTimeout(end, LANE_LIFETIME_MS).unref();
  };
  return {
    has: (name) => lanes.has(name),
    push(name, waiting) {
      const lane = lanes.get(name) ?? { waiting: [], isRunning: false };
      lanes.set(name, lane);
      lane.waiting.push(waiting);
      if (Number.isFinite(maxWaitMs)) setTimeout(rejectWaiting, maxWaitMs, lane, waiting).unref();
      if (!lane.isRunning && !queue.includes(name)) queue.push(name);
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
