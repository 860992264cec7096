/** What still waits for its batch. */
interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** Most items of one batch. */
  size: number;
  /** Batches under way at once. */
  concurrency: number;
  /** A batch that takes longer than this doesn't count among them any more: it waits for something of its own. */
  patienceMs: number;
}

/**
 * Joins single calls into batches: those of one turn of the event loop, and those that come while as many batches are
 * under way as may be. So a call alone goes at once, and many cost few round trips.
 *
 * @param run does the items of one batch and gives a result for each, in their order; when it rejects, all its calls do
 */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size, concurrency, patienceMs }: BatchOptions,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const start = (): void => {
    isScheduled = false;
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
      waiting.push({ item, resolve, reject });
      if (isScheduled || underWay >= concurrency) return;
      isScheduled = true;
      setImmediate(start);
    });
}

async function settle<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('a batch has one result for each of its items');
    for (const [index, result] of results.entries()) batch[index]?.resolve(result);
  } catch (error) {
    for (const { reject } of batch) reject(error);
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
