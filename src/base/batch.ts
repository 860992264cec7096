import { DatabaseUnavailable, isOfStatement } from './database-errors.ts';
import { presentBudget, withinLatest } from './time-budget.ts';

/** What still waits for its batch. */
interface Waiting<Item, Result> {
  item: Item;
  /** When it came, by `performance.now()`. */
  sinceMs: number;
  /** The time that its caller has. */
  budget: ReturnType<typeof presentBudget>;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Does the items of one batch in one statement, and gives a result for each, in their order. */
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

export interface BatchOptions {
  /** Most items of one batch. */
  size: number;
  /** Batches under way at once. */
  concurrency: number;
  /** A batch that takes longer than this doesn't count among them any more: it waits for something of its own. */
  patienceMs: number;
  /** Whoever waits longer for its turn is told that the database is away; as long as one waits for a connection. */
  maxWaitMs?: number;
}

/**
 * Joins single calls to the database into batches: those of one turn of the event loop, and those that come while as many
 * batches are under way as may be. So a call alone goes at once, and many cost few round trips.
 *
 * What the server refuses to do for one of several is done for each alone, one after the other: nobody fails for another's
 * sake. So a batch must be one transaction. Calls reject as `run` does, and with `DatabaseUnavailable` when their turn
 * doesn't come in time.
 */
export function batched<Item, Result>(
  run: Run<Item, Result>,
  { size, concurrency, patienceMs, maxWaitMs = 5_000 }: BatchOptions,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const start = (): void => {
    isScheduled = false;
    giveUpOld(waiting, maxWaitMs);
    while (waiting.length > 0 && underWay < concurrency) {
      underWay++;
      const batch = waiting.splice(0, size);
      const leave = once(() => {
        underWay--;
        start();
      });
      const timer = setTimeout(leave, patienceMs).unref();
      void settle(run, batch).then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, sinceMs: performance.now(), budget: presentBudget(), resolve, reject });
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

async function settle<Item, Result>(run: Run<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> {
  try {
    const budgets = batch.map(({ budget }) => budget);
    const results = await withinLatest(budgets, () => run(batch.map(({ item }) => item)));
    if (results.length !== batch.length) throw new Error('a batch has one result for each of its items');
    for (const [index, result] of results.entries()) batch[index]?.resolve(result);
  } catch (error) {
    if (batch.length === 1 || !isOfStatement(error)) for (const { reject } of batch) reject(error);
    else for (const one of batch) await settle(run, [one]);
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
