import type { CreateBatcher } from '../../src/platform/database/query/batch.ts';
import { DatabaseUnavailable, isOfStatement } from '../../src/platform/database/query/errors.ts';
import type { Pause } from './faults.ts';

/** A call that waits for its batch, or for the end of it. */
interface Call {
  actor: object;
  item: unknown;
  /** Returns or throws the result, once it is known. */
  outcome?: () => unknown;
}

/**
 * Batches of an API process: calls of several actors share a statement, as with `createBatcher`. The history chooses the actor that runs
 * the batch. The others wait for its end.
 */
export class Batches {
  readonly #queues: Call[][] = [];
  readonly #running = new Map<object, readonly Call[]>();

  /** Returns the batcher of an actor. The n-th function that it creates shares its batches with the n-th one of every other actor. */
  batcherFor(actor: object, pause: Pause): CreateBatcher {
    let created = 0;
    return <Item, Result>(run: (items: readonly Item[], lockWaitMs: number) => Promise<readonly Result[]>) => {
      const waiting = this.#queueAt(created++);
      return async (item: Item) => {
        const call: Call = { actor, item };
        waiting.push(call);
        await pause('waits for a batch');
        if (waiting.includes(call)) {
          // All calls of a queue are of one function, so their items have one type.
          await this.#run(actor, waiting.splice(0), (items) => run(items as Item[], 100));
        }
        while (call.outcome === undefined) await pause('waits for the end of its batch');
        return call.outcome() as Result;
      };
    };
  }

  /** Ends the calls of an actor that has stopped. The others of its batch do not know the outcome. */
  abandon(actor: object): void {
    for (const waiting of this.#queues)
      waiting.splice(0, waiting.length, ...waiting.filter((call) => call.actor !== actor));
    this.#end(actor, () => {
      throw new DatabaseUnavailable(new Error('the process of the batch has stopped'));
    });
  }

  #queueAt(place: number): Call[] {
    const queue = this.#queues[place] ?? [];
    this.#queues[place] = queue;
    return queue;
  }

  async #run(
    actor: object,
    calls: readonly Call[],
    run: (items: readonly unknown[]) => Promise<readonly unknown[]>,
  ): Promise<void> {
    this.#running.set(actor, calls);
    await this.#settle(calls, run);
    this.#running.delete(actor);
  }

  /** After an error of the statement, which has written nothing, repeats each call alone. */
  async #settle(
    calls: readonly Call[],
    run: (items: readonly unknown[]) => Promise<readonly unknown[]>,
  ): Promise<void> {
    try {
      const results = await run(calls.map(({ item }) => item));
      for (const [index, call] of calls.entries()) call.outcome ??= () => results[index];
    } catch (error) {
      if (calls.length > 1 && isOfStatement(error)) {
        for (const call of calls) await this.#settle([call], run);
        return;
      }
      for (const call of calls) {
        call.outcome ??= () => {
          throw error;
        };
      }
    }
  }

  #end(actor: object, outcome: () => unknown): void {
    for (const call of this.#running.get(actor) ?? []) call.outcome ??= outcome;
    this.#running.delete(actor);
  }
}
