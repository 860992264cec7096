import { until } from './processes.ts';

/** A gate at which calls wait while it is closed. */
export class Gate {
  #waiting = 0;
  #open: () => void = () => {};
  #opened: Promise<void> = Promise.resolve();

  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  async pass(): Promise<void> {
    this.#waiting++;
    await this.#opened;
    this.#waiting--;
  }

  open(): void {
    this.#open();
  }

  /** Resolves when a call waits at it. */
  reached(): Promise<void> {
    return until(() => this.#waiting > 0, 'no call came to the gate');
  }
}
