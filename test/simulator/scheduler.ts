/** A number without a fault in it. */
export const CALM = 24;

/** An actor that waits. Faults follow from the number with which it goes on. */
interface Waiting {
  actor: object | null;
  /** Place at which it waits. */
  at: string;
  resume: (luck: number) => void;
}

/**
 * Runs actors one at a time. An actor is an async function of the service that waits at its ports only. Each step of a history
 * lets one of them go on to its next wait. There are no timers, so a run depends on its history alone.
 */
export class Scheduler {
  readonly #waiting: Waiting[] = [];
  readonly #isSerial: boolean;
  #rest: () => void = () => {};
  #failure: unknown = null;

  /** @param isSerial nobody waits: actors act one after the other, and meet no faults */
  constructor(isSerial = false) {
    this.#isSerial = isSerial;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a step of the history. An actor calls it at its ports. */
  pause(actor: object | null, at: string): Promise<number> {
    if (this.#isSerial) return Promise.resolve(CALM);
    return new Promise((resume) => {
      this.#waiting.push({ actor, at, resume });
      this.#rest();
    });
  }

  /** Starts an actor, and resolves when it waits or has ended. @throws its error, which is one of the service */
  start(actor: () => Promise<unknown>): Promise<void> {
    return this.#untilRest(() => {
      actor().then(
        () => this.#rest(),
        (error: unknown) => {
          this.#failure = error;
          this.#rest();
        },
      );
    });
  }

  /** Lets an actor go on, and resolves when it waits again or has ended. @throws its error */
  resume(index: number, luck: number): Promise<void> {
    return this.#untilRest(() => this.#take(index)?.resume(luck));
  }

  /** An actor's process stops: it never goes on. Returns the actor. */
  crash(index: number): object | null {
    return this.#take(index)?.actor ?? null;
  }

  /** Returns where an actor waits. */
  placeOf(index: number): string {
    return this.#waiting[index % this.#waiting.length]?.at ?? '';
  }

  #take(index: number): Waiting | undefined {
    const place = index % this.#waiting.length;
    const taken = this.#waiting[place];
    // The order does not matter, because the history chooses.
    const last = this.#waiting.pop();
    if (last !== undefined && last !== taken) this.#waiting[place] = last;
    return taken;
  }

  async #untilRest(go: () => void): Promise<void> {
    await new Promise<void>((rest) => {
      this.#rest = rest;
      go();
    });
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }
}
