import { DatabaseUnavailable } from '../../src/database/query/errors.ts';
import { type LinkChange, type TryResult, tryAll } from '../../src/payment-links/store/change.ts';
import type { LinkStore } from '../../src/payment-links/store/port.ts';
import type { Pause } from './faults.ts';

/** A change that waits for its batch, or for the end of it. */
interface Call {
  change: LinkChange;
  /** Returns or throws the outcome, once it is known. */
  outcome?: () => TryResult;
}

/**
 * Batches of an API process: changes of several actors share a read and a write, as with `createBatcher`. The history chooses the actor that
 * runs the batch. The others wait for its end.
 */
export class Batches {
  #waiting: Call[] = [];
  readonly #running = new Map<object, readonly Call[]>();

  /** Tries a change in a batch with all changes that wait when the batch starts. */
  async tryOnce(change: LinkChange, store: LinkStore, pause: Pause): Promise<TryResult> {
    const call: Call = { change };
    this.#waiting.push(call);
    await pause('waits for a batch');
    if (this.#waiting.includes(call)) await this.#run(change.scope.em, store);
    while (call.outcome === undefined) await pause('waits for the end of its batch');
    return call.outcome();
  }

  /** Ends the calls of an actor that has stopped. The others of its batch do not know the outcome. */
  abandon(actor: object): void {
    this.#waiting = this.#waiting.filter(({ change }) => change.scope.em !== actor);
    this.#end(actor, () => {
      throw new DatabaseUnavailable(new Error('the process of the batch has stopped'));
    });
  }

  async #run(actor: object, store: LinkStore): Promise<void> {
    const calls = this.#waiting.splice(0);
    this.#running.set(actor, calls);
    try {
      const results = await tryAll(
        calls.map(({ change }) => change),
        'short',
        store,
      );
      for (const [index, call] of calls.entries()) {
        const tried = results[index];
        if (tried !== undefined) call.outcome = () => tried;
      }
    } catch (error) {
      this.#end(actor, () => {
        throw error;
      });
    } finally {
      this.#running.delete(actor);
    }
  }

  #end(actor: object, outcome: () => TryResult): void {
    for (const call of this.#running.get(actor) ?? []) call.outcome = outcome;
    this.#running.delete(actor);
  }
}
