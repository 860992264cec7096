/** Limiter of concurrent steps, with a queue for urgent steps and one for the others. */
export interface ConcurrencyLimiter {
  /**
   * Runs the step when a place is free. Each queue is first in, first out. After three urgent steps in a row, one of the
   * others runs, so that urgent steps cannot starve them.
   */
  run<T>(step: () => Promise<T>, urgency?: 'urgent'): Promise<T>;
}

/** Maximum number of urgent steps in a row while others wait. */
const URGENT_IN_A_ROW = 3;

/**
 * Creates a limiter with this many places. Delivery rounds run their database steps through one, because thousands of
 * rounds share twenty connections. Waiting here has no timeout; waiting for the pool fails after five seconds.
 */
export function createConcurrencyLimiter(places: number): ConcurrencyLimiter {
  const urgent: (() => void)[] = [];
  const others: (() => void)[] = [];
  let free = places;
  let urgentInARow = 0;
  const takeNext = (): (() => void) | undefined => {
    const prefersOthers = urgentInARow >= URGENT_IN_A_ROW && others.length > 0;
    const next = prefersOthers ? undefined : urgent.shift();
    urgentInARow = next === undefined ? 0 : urgentInARow + 1;
    return next ?? others.shift();
  };
  return {
    async run(step, urgency) {
      if (free > 0) free--;
      else await new Promise<void>((enter) => (urgency === 'urgent' ? urgent : others).push(enter));
      try {
        return await step();
      } finally {
        // The place passes to the next step directly, so that no new step can overtake the queue.
        const next = takeNext();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
