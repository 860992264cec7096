import { setTimeout as pause } from 'node:timers/promises';

/** Starts work for each item, one after the other with a pause between. Resolves when all of it has ended. */
export async function spread<T>(
  items: Iterable<T>,
  everyMs: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const started: Promise<unknown>[] = [];
  for (const item of items) {
    started.push(work(item));
    await pause(everyMs);
  }
  await Promise.all(started);
}
