import { asPartOf, presentWorks } from '../../base/diagnostics.ts';
import { presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';
import { createLanes, type LanesOptions, resolveAll, type Waiting } from './lanes.ts';

/**
 * Treatment of rows that other transactions have locked:
 * - `briefly`: the statement waits for a short time, then fails.
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
export interface BatchOptions<Item, Result> {
  /** Largest number of items in one batch. */
  size: number;
  /** Largest number of concurrent batches. */
  concurrency: number;
  /** Time after which a running batch no longer counts towards `concurrency`: it waits for a lock. */
  slotTimeoutMs: number;
  /** Longest wait of an item for its batch. Then it rejects with `DatabaseUnavailable`. Default: the wait for a connection. */
  maxWaitMs?: number;
  /** Returns the name of the lock that an item may wait for, such as its practice. Items of one lane wait together. */
  laneOf: (item: Item) => string;
  /** Number of lanes that may wait for locks at the same time, one connection each, and the longest wait for that. */
  lanes: Pick<LanesOptions, 'places' | 'maxWaitMs'>;
  /**
   * Treatment of an item that repeats one of the lanes, such as a repeated request: it has the same key. It does not wait for
   * that one. `lookUp` answers it, and must not wait for locks, because it has no place among the lanes. A lane has one such
   * statement at a time.
   * Default: no item repeats another one.
   */
  repetitions?: { keyOf: (item: Item) => string; lookUp: (items: readonly Item[]) => Promise<readonly Result[]> };
}

/**
 * Limits of statements that requests share. A process runs one at a time; calls that arrive during it share the next one. One that
 * takes longer than 50 ms waits for a lock, and the next one starts. The lanes of a kind of call wait for locks on at most two
 * connections. A call waits for such a connection, and then for its lock, at most seven seconds in total.
 */
export const REQUEST_LIMITS = {
  concurrency: 1,
  slotTimeoutMs: 50,
  lanes: { places: 2, maxWaitMs: 3_000 },
} as const satisfies Partial<BatchOptions<never, never>>;

/**
 * Joins single calls to the database into batches. A batch has the calls of one event loop turn, and the calls that
 * arrived while `concurrency` batches were running. A single call starts at once; many calls cost few round trips. A batch
 * must be one transaction.
 *
 * A batch never waits long for a lock, because it keeps its own locks while it waits. Items whose row is locked leave the
 * batch and wait in a lane. Later items of the same lane join them there. If a batch fails for another reason, each item
 * is retried alone, so one bad item cannot fail the others.
 *
 * Calls reject with the error of `run`, or with `DatabaseUnavailable` if their batch does not start in time.
 */
export function batched<Item, Result>(
  run: Run<Item, Result>,
  {
    size,
    concurrency,
    slotTimeoutMs,
    maxWaitMs = 5_000,
    laneOf,
    lanes: laneOptions,
    repetitions,
  }: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const runFully = async (items: readonly Item[]): Promise<Result[]> =>
    (await run(items, 'fully')).map((result) => {
      if (result === BUSY) throw new Error('a statement that waits fully for locks returned BUSY');
      return result;
    });
  const lanes = createLanes(runFully, { size, ...laneOptions });
  const push = (call: Waiting<Item, Result>): void => lanes.push(laneOf(call.item), call);
  const leaveToLane =
    repetitions === undefined ? push : apartFromRepetitions(push, { size, laneOf, lanes: laneOptions, repetitions });

  const takeBatch = (): Waiting<Item, Result>[] => {
    const batch: Waiting<Item, Result>[] = [];
    while (batch.length < size) {
      const call = waiting.shift();
      if (call === undefined) break;
      if (lanes.has(laneOf(call.item))) leaveToLane(call);
      else batch.push(call);
    }
    return batch;
  };
  const start = (): void => {
    isScheduled = false;
    rejectOverdue(waiting, maxWaitMs);
    while (waiting.length > 0 && underWay < concurrency) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      underWay++;
      const leave = once(() => {
        underWay--;
        start();
      });
      const timer = setTimeout(leave, slotTimeoutMs).unref();
      void settle(run, batch, 'briefly', leaveToLane).then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const caller = { budget: presentBudget(), works: presentWorks() };
      const call = { item, sinceMs: performance.now(), ...caller, resolve, reject };
      if (lanes.has(laneOf(item))) return leaveToLane(call);
      waiting.push(call);
      if (underWay >= concurrency) rejectOverdue(waiting, maxWaitMs);
      if (isScheduled || underWay >= concurrency) return;
      isScheduled = true;
      setImmediate(start);
    });
}

/**
 * Returns a function that leaves calls to their lanes by `push`. A call with the key of one that has no result so far goes to a lane
 * of repetitions instead.
 */
function apartFromRepetitions<Item, Result>(
  push: (call: Waiting<Item, Result>) => void,
  options: Required<Pick<BatchOptions<Item, Result>, 'size' | 'laneOf' | 'lanes' | 'repetitions'>>,
): (call: Waiting<Item, Result>) => void {
  const { keyOf, lookUp } = options.repetitions;
  const repetitions = createLanes(lookUp, { ...options.lanes, size: options.size, places: 1 });
  const keys = new Set<string>();
  return (call) => {
    const key = keyOf(call.item);
    if (keys.has(key)) return repetitions.push(options.laneOf(call.item), call);
    keys.add(key);
    const { resolve, reject } = call;
    push({
      ...call,
      // The caller may repeat it right after its result.
      resolve: (result) => {
        keys.delete(key);
        resolve(result);
      },
      reject: (error) => {
        keys.delete(key);
        reject(error);
      },
    });
  };
}

/** Rejects calls that waited too long. While the database hangs, they would accumulate and run after their callers left. */
function rejectOverdue(waiting: Waiting<unknown, never>[], maxWaitMs: number): void {
  const oldestMs = performance.now() - maxWaitMs;
  while (waiting[0] !== undefined && waiting[0].sinceMs < oldestMs) {
    waiting.shift()?.reject(new DatabaseUnavailable(new Error('the call waited too long for its batch')));
  }
}

/** Runs a batch and resolves each call with its result. Calls whose row is locked move to their lanes. */
async function settle<Item, Result>(
  run: Run<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
  wait: 'briefly' | 'never',
  leaveToLane: (call: Waiting<Item, Result>) => void,
): Promise<void> {
  try {
    const budgets = batch.map(({ budget }) => budget);
    const items = batch.map(({ item }) => item);
    const works = batch.flatMap((call) => call.works);
    const results = await withinLatest(budgets, () => asPartOf(works, () => run(items, wait)));
    const calls = batch.map((call) => ({
      ...call,
      resolve: (result: Result | typeof BUSY) => (result === BUSY ? leaveToLane(call) : call.resolve(result)),
    }));
    resolveAll(calls, results);
  } catch (error) {
    const [only] = batch;
    if (!isOfStatement(error)) for (const { reject } of batch) reject(error);
    else if (batch.length === 1 && only !== undefined) isLockTimeout(error) ? leaveToLane(only) : only.reject(error);
    else if (wait === 'briefly' && isLockTimeout(error)) await settle(run, batch, 'never', leaveToLane);
    else for (const one of batch) await settle(run, [one], 'never', leaveToLane);
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
