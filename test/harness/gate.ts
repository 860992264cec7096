import { until } from './processes.ts';

/** A gate at which calls wait while it is closed. */
export class Gate {
  #waiting = 0;
  #gate: PromiseWithResolvers<void> | null = null;

  close(): void {
    this.#gate = Promise.withResolvers();
  }

  async pass(): Promise<void> {
    this.#waiting++;
    await this.#gate?.promise;
    this.#waiting--;
  }

  open(): void {
    this.#gate?.resolve();
  }

  /** Resolves when a call waits at it. */
  reached(): Promise<void> {
    return until(() => this.#waiting > 0, 'no call came to the gate');
  }
}
