/** Lets a limited number of steps run at once; the others wait in two queues. */
export interface ConcurrencyLimiter {
  /**
   * Runs the step when there is room, in the order in which they came; of those that wait, three urgent ones go before
   * each other one, so that a busy urgent queue starves nobody.
   */
  run<T>(step: () => Promise<T>, urgency?: 'urgent'): Promise<T>;
}

/** Urgent steps in a row while others wait. */
const URGENT_IN_A_ROW = 3;

/**
 * A limiter with this many places. Rounds take their database steps through one: thousands of them share a pool of
 * twenty connections, and waiting here has no limit, while waiting for the pool ends in an error after five seconds.
 */
export function createConcurrencyLimiter(places: number): ConcurrencyLimiter {
  const urgent: (() => void)[] = [];
  const others: (() => void)[] = [];
  let free = places;
  let urgentInARow = 0;
  const nextInLine = (): (() => void) | undefined => {
    const isOthersTurn = urgentInARow >= URGENT_IN_A_ROW && others.length > 0;
    const next = isOthersTurn ? undefined : urgent.shift();
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
        // The place is handed over, not given back, so that nobody slips in between.
        const next = nextInLine();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
