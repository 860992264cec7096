/** A number that causes no fault. */
export const CALM = 24;

/** An actor that waits. The number with which it is resumed decides about faults. */
interface Waiting {
  actor: object | null;
  /** Call at which it waits, in words. */
  at: string;
  resume: (luck: number) => void;
}

/**
 * Runs actors one at a time. An actor is an async function that waits only for calls to the store and the processor. Each step of a
 * history starts an actor, or resumes one until its next wait. There are no timers, so a run depends on its history alone.
 */
export class Scheduler {
  readonly #waiting: Waiting[] = [];
  readonly #isSerial: boolean;
  #rest: () => void = () => {};
  /** Actor that was resumed last. */
  #resumed: object | null = null;
  #failure: unknown = null;

  /** @param isSerial true: actors never wait. They run one after the other, without faults */
  constructor(isSerial = false) {
    this.#isSerial = isSerial;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Waits until the actor is resumed. An actor waits here at its calls to the store and the processor.
   *
   * @param actor null for the actor that runs: it has waited before
   */
  pause(actor: object | null, at: string): Promise<number> {
    if (this.#isSerial) return Promise.resolve(CALM);
    return new Promise((resume) => {
      this.#waiting.push({ actor: actor ?? this.#resumed, at, resume });
      this.#rest();
    });
  }

  /** Starts an actor, and resolves when it waits or has ended. @throws the actor's error */
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

  /** Resumes an actor, and resolves when it waits again or has ended. @throws the actor's error */
  resume(index: number, luck: number): Promise<void> {
    const waiting = this.#take(index);
    this.#resumed = waiting?.actor ?? null;
    return this.#untilRest(() => waiting?.resume(luck));
  }

  /** Stops an actor for ever, as if its process died. Returns the actor. */
  crash(index: number): object | null {
    return this.#take(index)?.actor ?? null;
  }

  /** Returns the call at which an actor waits. */
  placeOf(index: number): string {
    return this.#waiting[index % this.#waiting.length]?.at ?? '';
  }

  #take(index: number): Waiting | undefined {
    const place = index % this.#waiting.length;
    const taken = this.#waiting[place];
    // The order does not matter, because the history chooses the next actor.
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
