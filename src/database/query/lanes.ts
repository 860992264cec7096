import { BUSY, batched, type Call, type LockWait, resultsOf } from './batch.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';

/** Waits of items for locks, apart from all other items. */
export interface LaneOptions<Item, Result> {
  /** Returns the name of the lock that an item may wait for, such as its practice. Items of one lane wait together. */
  laneOf: (item: Item) => string;
  /**
   * Lanes that may run at the same time, one connection each, and the longest wait for that. Then an item rejects with
   * `DatabaseUnavailable`. Default: two, and three seconds.
   */
  lanes?: { places: number; maxWaitMs: number };
  /**
   * Treatment of an item that has the same key as one of the lanes, such as a repeated request. It does not wait for that one.
   * `lookUp` answers it, and must not wait for locks. Default: no item repeats another one.
   */
  repetitions?: { keyOf: (item: Item) => string; lookUp: (items: readonly Item[]) => Promise<readonly Result[]> };
}

/** Time for which a lane remains after a lock timeout. A lock that was kept that long is often kept longer. */
const LANE_LIFETIME_MS = 5_000;

interface Lane<Item, Result> {
  waiting: Call<Item, Result>[];
  isRunning: boolean;
  /** Ends a lane without items some time after its last lock timeout. */
  remains?: NodeJS.Timeout | undefined;
}

/** Lanes of the items of one kind of batch. */
export interface Lanes<Item, Result> {
  /** Adds the call if its lane has items, or had a lock timeout in the last five seconds. Returns false if it may join a batch. */
  take(call: Call<Item, Result>): boolean;
  /** Adds a call whose row is locked. */
  push(call: Call<Item, Result>): void;
}

/**
 * Creates lanes. A lane has the items that wait for the same lock. It runs one statement at a time for all of them, so it uses
 * one connection. Lanes get the free places in turns. After a lock timeout, all items of the statement reject.
 */
export function createLanes<Item, Result>(
  run: (items: readonly Item[], wait: LockWait) => Promise<readonly (Result | typeof BUSY)[]>,
  {
    size,
    laneOf,
    lanes: { places, maxWaitMs } = { places: 2, maxWaitMs: 3_000 },
    repetitions,
  }: LaneOptions<Item, Result> & { size: number },
): Lanes<Item, Result> {
  /** In the order in which they start. */
  const lanes = new Map<string, Lane<Item, Result>>();
  const keys = new Set<string>();
  const lookUp = repetitions && batched<Item, Result>(repetitions.lookUp, { size, concurrency: 1 });
  let running = 0;

  const fill = (): void => {
    for (const [name, lane] of lanes) {
      if (running >= places) return;
      if (!lane.isRunning && lane.waiting.length > 0) void runLane(name, lane).then(fill);
    }
  };
  const runLane = async (name: string, lane: Lane<Item, Result>): Promise<void> => {
    running++;
    lane.isRunning = true;
    const isTimeout = await settle(lane.waiting.splice(0, size));
    running--;
    lane.isRunning = false;
    if (isTimeout) {
      clearTimeout(lane.remains);
      lane.remains = setTimeout(() => {
        lane.remains = undefined;
        end(name, lane);
      }, LANE_LIFETIME_MS).unref();
    }
    // Behind the others.
    lanes.delete(name);
    lanes.set(name, lane);
    end(name, lane);
  };
  const end = (name: string, lane: Lane<Item, Result>): void => {
    if (lane.waiting.length === 0 && !lane.isRunning && lane.remains === undefined) lanes.delete(name);
  };
  const settle = async (calls: readonly Call<Item, Result>[]): Promise<boolean> => {
    try {
      for (const [call, result] of await resultsOf(calls, (items) => run(items, 'fully'))) {
        if (result === BUSY) throw new Error('a statement that waits fully for locks returned BUSY');
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
  const rejectLate = (name: string, lane: Lane<Item, Result>, call: Call<Item, Result>): void => {
    const index = lane.waiting.indexOf(call);
    if (index === -1) return;
    lane.waiting.splice(index, 1);
    end(name, lane);
    call.reject(new DatabaseUnavailable(new Error('the call waited too long in its lane')));
  };
  const push = (call: Call<Item, Result>): void => {
    const key = repetitions?.keyOf(call.item);
    if (key !== undefined && keys.has(key)) return void lookUp?.(call.item).then(call.resolve, call.reject);
    const entered = key === undefined ? call : forgetting(call, () => keys.delete(key));
    if (key !== undefined) keys.add(key);
    const name = laneOf(call.item);
    const lane = lanes.get(name) ?? { waiting: [], isRunning: false };
    lanes.set(name, lane);
    lane.waiting.push(entered);
    setTimeout(rejectLate, maxWaitMs, name, lane, entered).unref();
    fill();
  };
  return {
    push,
    take(call) {
      if (!lanes.has(laneOf(call.item))) return false;
      push(call);
      return true;
    },
  };
}

/** Returns the call, which forgets its key before its caller can repeat it. */
function forgetting<Item, Result>(call: Call<Item, Result>, forget: () => void): Call<Item, Result> {
  const { resolve, reject } = call;
  return {
    ...call,
    resolve(result) {
      forget();
      resolve(result);
    },
    reject(error) {
      forget();
      reject(error);
    },
  };
}
