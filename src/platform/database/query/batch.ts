import { presentWorks, runAsPart, type Work } from '../../base/diagnostics.ts';
import { presentBudget, withinLatest } from '../../base/time/time-budget.ts';
import { DatabaseUnavailable, isLockTimeout, isOfStatement } from './errors.ts';
import { createLimiter } from './limiter.ts';

/*
 * Joins single calls to the database into batches (docs/decisions/0013-batches.md has a picture). A batch has the calls
 * of one event loop turn, and calls that arrived while `concurrency` batches were running.
 *
 * A batch keeps its locks while it waits for another one, so it waits only briefly. If it times out, it is rolled back,
 * and its calls are tried again by group, such as their practice. A group that times out again waits in full, apart
 * from all others, and stays apart for a while. After another failure of the statement, its calls are repeated alone.
 * After a lost answer, the outcome is unknown, and nothing is repeated.
 */

/** Longer than a statement usually keeps its locks, even on a slow disk. */
const BATCH_LOCK_WAIT_MS = 100;

/** Null for the lock timeout of the session. A lock for which others wait takes two waits: one for the queue, and one for the row. */
export type LockWaitMs = number | null;

/** Statements at once that find out which groups meet a lock. */
const RETRIES_AT_ONCE = 4;

/** Statements of groups at once. Other practices must keep enough connections. */
const GROUPS_AT_ONCE = 2;
const GROUP_WAIT_MS = 3_000;

/** A lock that was kept until a full timeout is often kept longer. */
const STAYS_APART_MS = 5_000;

/** Runs the items in one transaction. Returns their results in the same order. */
type Run<Item, Result> = (items: readonly Item[], lockWaitMs: LockWaitMs) => Promise<readonly Result[]>;

export interface BatchOptions<Item> {
  size: number;
  concurrency: number;
  /** Time after which a batch no longer counts for `concurrency`: it probably waits for a lock. Default: none. */
  slowAfterMs?: number;
  /** Longest wait of an item until its statement starts. Default: no limit. */
  maxWaitMs?: number;
  /** Time for which an idle batcher waits for further items. Default: none. */
  gatherMsOf?: (item: Item) => number;
  /** Group whose items wait together for locks. Default: items of a batch that timed out are repeated alone. */
  groupOf?: (item: Item) => string;
}

/** Limits of statements that requests share: one at a time, and at most five seconds until it starts. */
export const REQUEST_LIMITS = { size: 32, concurrency: 1, slowAfterMs: 50, maxWaitMs: 5_000 } as const;

interface Call<Item, Result> {
  item: Item;
  sinceMs: number;
  budget: ReturnType<typeof presentBudget>;
  works: readonly Work[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export type CreateBatcher = typeof createBatcher;

/**
 * Creates the function that adds an item to a batch. A call rejects with the error of `run`, or with
 * `DatabaseUnavailable` if its statement does not start in time.
 */
export function createBatcher<Item, Result>(
  run: Run<Item, Result>,
  { size, concurrency, slowAfterMs, maxWaitMs = Number.POSITIVE_INFINITY, gatherMsOf, groupOf }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  const waitingCalls: Call<Item, Result>[] = [];
  const groups = groupOf && new Groups(run, groupOf, size, maxWaitMs);
  let runningCount = 0;
  let isScheduled = false;
  let gatherTimer: NodeJS.Timeout | undefined;

  const settle = (batch: readonly Call<Item, Result>[]): Promise<void> =>
    settleCalls(batch, run, BATCH_LOCK_WAIT_MS, groups && ((calls) => groups.settle(calls, settle)));
  const start = (): void => {
    isScheduled = false;
    clearTimeout(gatherTimer);
    gatherTimer = undefined;
    rejectOverdue(waitingCalls, maxWaitMs);
    while (waitingCalls.length > 0 && runningCount < concurrency) {
      runningCount++;
      let isCounted = true;
      const stopCounting = (): void => {
        if (!isCounted) return;
        isCounted = false;
        runningCount--;
        start();
      };
      const timer = slowAfterMs === undefined ? undefined : setTimeout(stopCounting, slowAfterMs).unref();
      void settle(waitingCalls.splice(0, size)).then(() => {
        clearTimeout(timer);
        stopCounting();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const caller = { budget: presentBudget(), works: presentWorks() };
      const call = { item, sinceMs: performance.now(), ...caller, resolve, reject };
      if (groups?.isApart(item)) return groups.add(call);
      waitingCalls.push(call);
      // Otherwise calls would accumulate while the database hangs.
      if (runningCount >= concurrency) return rejectOverdue(waitingCalls, maxWaitMs);
      if (isScheduled) return;
      const gatherMs = gatherMsOf?.(item) ?? 0;
      if (gatherMs > 0) gatherTimer ??= setTimeout(start, gatherMs);
      else {
        isScheduled = true;
        setImmediate(start);
      }
    });
}

/** Their callers have left. */
function rejectOverdue<Item, Result>(waiting: Call<Item, Result>[], maxWaitMs: number): void {
  const oldestMs = performance.now() - maxWaitMs;
  while (waiting[0] !== undefined && waiting[0].sinceMs < oldestMs) {
    waiting.shift()?.reject(new DatabaseUnavailable(new Error('the call waited too long for its statement')));
  }
}

/** Runs one statement for the calls, within the time budget that ends last. */
async function runCalls<Item, Result>(
  calls: readonly Call<Item, Result>[],
  run: Run<Item, Result>,
  lockWaitMs: LockWaitMs,
): Promise<void> {
  const items = calls.map(({ item }) => item);
  const budgets = calls.map(({ budget }) => budget);
  const works = calls.flatMap((call) => call.works);
  const results = await withinLatest(budgets, () => runAsPart(works, () => run(items, lockWaitMs)));
  if (results.length !== calls.length) throw new Error('a batch has one result for each of its items');
  for (const [index, result] of results.entries()) calls[index]?.resolve(result);
}

/** Runs one statement for the calls. After a failure of the statement, it repeats them alone. */
async function settleCalls<Item, Result>(
  calls: readonly Call<Item, Result>[],
  run: Run<Item, Result>,
  lockWaitMs: LockWaitMs,
  handleLockTimeout?: (calls: readonly Call<Item, Result>[], error: unknown) => Promise<void> | void,
): Promise<void> {
  try {
    await runCalls(calls, run, lockWaitMs);
  } catch (error) {
    if (handleLockTimeout !== undefined && isLockTimeout(error)) await handleLockTimeout(calls, error);
    else if (calls.length === 1 || !isOfStatement(error)) for (const { reject } of calls) reject(error);
    else for (const call of calls) await settleCalls([call], run, lockWaitMs, handleLockTimeout);
  }
}

interface Group<Item, Result> {
  name: string;
  waiting: Call<Item, Result>[];
  isRunning: boolean;
  /** Ends the group some time after its last lock timeout. */
  staysApart?: NodeJS.Timeout | undefined;
}

/** A group runs one statement at a time, so it uses one connection. Groups run round robin. */
class Groups<Item, Result> {
  readonly #groups = new Map<string, Group<Item, Result>>();
  readonly #limiter = createLimiter({ placesPerName: 1, placesInAll: GROUPS_AT_ONCE, maxWaitMs: GROUP_WAIT_MS });
  readonly #retries = createLimiter({ placesInAll: RETRIES_AT_ONCE });
  readonly #run: Run<Item, Result>;
  readonly #groupOf: (item: Item) => string;
  readonly #size: number;
  readonly #maxWaitMs: number;

  constructor(run: Run<Item, Result>, groupOf: (item: Item) => string, size: number, maxWaitMs: number) {
    this.#run = run;
    this.#groupOf = groupOf;
    this.#size = size;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Returns true if the group waits for a lock, or did so a moment ago. */
  isApart(item: Item): boolean {
    return this.#groups.has(this.#groupOf(item));
  }

  /** Tries each group of a batch that timed out by a separate statement. Only a group that meets the lock again stays apart. */
  async settle(batch: readonly Call<Item, Result>[], settle: (calls: Call<Item, Result>[]) => Promise<void>) {
    const byGroup = Map.groupBy(batch, ({ item }) => this.#groupOf(item));
    if (byGroup.size === 1) for (const call of batch) this.add(call);
    else await Promise.all([...byGroup].map(([name, calls]) => this.#retries.run(name, () => settle(calls))));
  }

  add(call: Call<Item, Result>): void {
    const name = this.#groupOf(call.item);
    const group = this.#groups.get(name) ?? { name, waiting: [], isRunning: false };
    this.#groups.set(name, group);
    group.waiting.push(call);
    // The limiter had no place in time. An earlier call of the group may have taken this one along.
    const refuse = (error: unknown) => {
      const index = group.waiting.indexOf(call);
      if (index === -1) return;
      group.waiting.splice(index, 1);
      call.reject(error);
    };
    void this.#limiter
      .run(name, () => this.#runGroup(group))
      .catch(refuse)
      .finally(() => this.#endIdle(group));
  }

  /** Runs one statement for all calls of a group; none if an earlier one took them along. */
  async #runGroup(group: Group<Item, Result>): Promise<void> {
    rejectOverdue(group.waiting, this.#maxWaitMs);
    const calls = group.waiting.splice(0, this.#size);
    if (calls.length === 0) return;
    group.isRunning = true;
    await settleCalls(calls, this.#run, null, (calls, error) => {
      this.#keepApart(group);
      for (const { reject } of calls) reject(error);
    });
    group.isRunning = false;
  }

  #keepApart(group: Group<Item, Result>): void {
    clearTimeout(group.staysApart);
    group.staysApart = setTimeout(() => {
      group.staysApart = undefined;
      this.#endIdle(group);
    }, STAYS_APART_MS).unref();
  }

  #endIdle(group: Group<Item, Result>): void {
    const isIdle = group.waiting.length === 0 && !group.isRunning && group.staysApart === undefined;
    if (isIdle && this.#groups.get(group.name) === group) this.#groups.delete(group.name);
  }
}
