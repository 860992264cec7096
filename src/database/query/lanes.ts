import { type presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';

/** A call that waits for its result. */
export interface Waiting<Item, Result> {
  item: Item;
  /** When it came, by `performance.now()`. */
  sinceMs: number;
  /** The time that its caller has. */
  budget: ReturnType<typeof presentBudget>;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface LanesOptions {
  /** Most items of one statement. */
  size: number;
  /** Statements at once, each of another lane: so many connections may wait for locks. */
  places: number;
  /** Longest time an item waits for its statement before it rejects with `DatabaseUnavailable`. */
  maxWaitMs: number;
}

/** Items that have to wait for a lock, apart from all others. */
export interface Lanes<Item, Result> {
  /** True while items of this lane should not join others. */
  has(name: string): boolean;
  push(name: string, waiting: Waiting<Item, Result>): void;
}

interface Lane<Item, Result> {
  waiting: Waiting<Item, Result>[];
  isRunning: boolean;
}

/** How long a lane stays apart after a lock time-out: whoever holds the lock for so long often holds it longer. */
const APART_MS = 5_000;

/**
 * Lanes for items that wait for the same lock, such as those of one practice. A lane runs one statement at a time, for all
 * of its items together, so it holds one connection however many wait. Lanes take turns at the places there are.
 */
export function createLanes<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size, places, maxWaitMs }: LanesOptions,
): Lanes<Item, Result> {
  const lanes = new Map<string, Lane<Item, Result>>();
  /** Names of lanes with waiting items and without a statement under way, in the order of their turns. */
  const turns: string[] = [];
  let underWay = 0;

  const fill = (): void => {
    while (underWay < places) {
      const name = turns.shift();
      const lane = name === undefined ? undefined : lanes.get(name);
      if (name === undefined || lane === undefined) return;
      // All of them may have been told meanwhile that their turn did not come.
      if (lane.waiting.length > 0) start(name, lane);
      else remove(name, lane);
    }
  };
  const start = (name: string, lane: Lane<Item, Result>): void => {
    underWay++;
    lane.isRunning = true;
    void settle(run, lane.waiting.splice(0, size)).then((error) => {
      underWay--;
      lane.isRunning = false;
      if (lane.waiting.length > 0) turns.push(name);
      else if (error === null) remove(name, lane);
      else setTimeout(remove, APART_MS, name, lane).unref();
      fill();
    });
  };
  const remove = (name: string, lane: Lane<Item, Result>): void => {
    if (lane.waiting.length === 0 && !lane.isRunning && lanes.get(name) === lane) lanes.delete(name);
  };
  return {
    has: (name) => lanes.has(name),
    push(name, waiting) {
      const lane = lanes.get(name) ?? { waiting: [], isRunning: false };
      lanes.set(name, lane);
      lane.waiting.push(waiting);
      if (Number.isFinite(maxWaitMs)) setTimeout(giveUp, maxWaitMs, lane, waiting).unref();
      if (!lane.isRunning && !turns.includes(name)) turns.push(name);
      fill();
    },
  };
}

function giveUp<Item, Result>(lane: Lane<Item, Result>, waiting: Waiting<Item, Result>): void {
  const place = lane.waiting.indexOf(waiting);
  if (place === -1) return;
  lane.waiting.splice(place, 1);
  waiting.reject(new DatabaseUnavailable(new Error('its turn did not come')));
}

/**
 * Runs the items of one lane and tells each its result. If the server refuses the statement for another reason than a
 * lock, each item runs alone. A lock that cannot be had is the same for all of them.
 *
 * @returns the last error; null when there was none
 */
async function settle<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  items: readonly Waiting<Item, Result>[],
): Promise<unknown> {
  try {
    const budgets = items.map(({ budget }) => budget);
    tell(items, await withinLatest(budgets, () => run(items.map(({ item }) => item))));
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

/** Resolves each call with its result. @throws Error when there is not one for each */
export function tell<Item, Result>(calls: readonly Waiting<Item, Result>[], results: readonly Result[]): void {
  if (results.length !== calls.length) throw new Error('a batch has one result for each of its items');
  for (const [index, result] of results.entries()) calls[index]?.resolve(result);
}
