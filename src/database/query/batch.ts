import { presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';
import { createLanes, type LanesOptions, tell, type Waiting } from './lanes.ts';

/**
 * How a statement treats locks that others hold: it waits a moment; leaves out the items that would have to wait, as
 * `BUSY`; or waits as long as a caller may be kept waiting.
 */
export type LockWait = 'briefly' | 'never' | 'patiently';

/**
 * Longest wait for one lock, in milliseconds; a row that others wait for as well takes two, one for the turn and one for
 * the row. `briefly` is longer than healthy statements hold their locks, a slow disk
 * included: meanwhile the statement holds those of others. `never` is the least that rides out a commit under way.
 */
export const LOCK_WAIT_MS: Readonly<Record<LockWait, number>> = { briefly: 100, never: 10, patiently: 2_000 };

/** The result of an item that was left out because of a lock. */
export const BUSY: unique symbol = Symbol('busy');

/** Does the items of one batch in one statement, and gives a result for each, in their order. */
type Run<Item, Result> = (items: readonly Item[], wait: LockWait) => Promise<readonly (Result | typeof BUSY)[]>;

export interface BatchOptions<Item> {
  /** Most items of one batch. */
  size: number;
  /** Batches under way at once. */
  concurrency: number;
  /** A batch that takes longer than this doesn't count among them any more: it waits for something of its own. */
  patienceMs: number;
  /** Whoever waits longer for its turn is told that the database is away; as long as one waits for a connection. */
  maxWaitMs?: number;
  /** Names what an item may have to wait for, such as its practice: those that do wait together, apart from others. */
  laneOf: (item: Item) => string;
  /** How many lanes may wait for locks at once, each with one connection, and how long their items wait for that. */
  lanes: Pick<LanesOptions, 'places' | 'maxWaitMs'>;
}

/**
 * Joins single calls to the database into batches: those of one turn of the event loop, and those that come while as many
 * batches are under way as may be. So a call alone goes at once, and many cost few round trips. A batch must be one
 * transaction.
 *
 * A batch never waits long for a lock, for it holds those of others meanwhile. Items whose lock somebody holds leave it
 * and wait in a lane of their own; while they do, those of the same lane join them there. What the server refuses for
 * another reason is done for each alone, so one bad item cannot fail the others.
 *
 * Calls reject as `run` does, and with `DatabaseUnavailable` when their turn doesn't come in time.
 */
export function batched<Item, Result>(
  run: Run<Item, Result>,
  { size, concurrency, patienceMs, maxWaitMs = 5_000, laneOf, lanes: laneOptions }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const runPatiently = async (items: readonly Item[]): Promise<Result[]> =>
    (await run(items, 'patiently')).map((result) => {
      if (result === BUSY) throw new Error('a patient statement leaves nobody out');
      return result;
    });
  const lanes = createLanes(runPatiently, { size, ...laneOptions });
  const leaveToLane = (call: Waiting<Item, Result>): void => lanes.push(laneOf(call.item), call);

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
    giveUpOld(waiting, maxWaitMs);
    while (waiting.length > 0 && underWay < concurrency) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      underWay++;
      const leave = once(() => {
        underWay--;
        start();
      });
      const timer = setTimeout(leave, patienceMs).unref();
      void settle(run, batch, 'briefly', leaveToLane).then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const call = { item, sinceMs: performance.now(), budget: presentBudget(), resolve, reject };
      if (lanes.has(laneOf(item))) return leaveToLane(call);
      waiting.push(call);
      if (underWay >= concurrency) giveUpOld(waiting, maxWaitMs);
      if (isScheduled || underWay >= concurrency) return;
      isScheduled = true;
      setImmediate(start);
    });
}

/** While the database hangs they would pile up, and be done long after their callers are gone. */
function giveUpOld(waiting: Waiting<unknown, never>[], maxWaitMs: number): void {
  const oldestMs = performance.now() - maxWaitMs;
  while (waiting[0] !== undefined && waiting[0].sinceMs < oldestMs) {
    waiting.shift()?.reject(new DatabaseUnavailable(new Error('its turn did not come')));
  }
}

/** Runs a batch and tells each call its result; those that would have to wait for a lock are left to their lanes. */
async function settle<Item, Result>(
  run: Run<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
  wait: 'briefly' | 'never',
  leaveToLane: (call: Waiting<Item, Result>) => void,
): Promise<void> {
  try {
    const budgets = batch.map(({ budget }) => budget);
    const items = batch.map(({ item }) => item);
    const results = await withinLatest(budgets, () => run(items, wait));
    const calls = batch.map((call) => ({
      ...call,
      resolve: (result: Result | typeof BUSY) => (result === BUSY ? leaveToLane(call) : call.resolve(result)),
    }));
    tell(calls, results);
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
