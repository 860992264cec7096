/** Lets a limited number of steps run at once; the others wait in two queues. */
export interface Turnstile {
  /** Runs the step when there is room: urgent ones first, otherwise in the order in which they came. */
  pass<T>(step: () => Promise<T>, urgency?: 'urgent'): Promise<T>;
}

/**
 * A turnstile with this many places. Rounds take their database steps through one: thousands of them share a pool of
 * twenty connections, and waiting here has no limit, while waiting for the pool ends in an error after five seconds.
 */
export function createTurnstile(places: number): Turnstile {
  const urgent: (() => void)[] = [];
  const others: (() => void)[] = [];
  let free = places;
  return {
    async pass(step, urgency) {
      if (free > 0) free--;
      else await new Promise<void>((enter) => (urgency === 'urgent' ? urgent : others).push(enter));
      try {
        return await step();
      } finally {
        // The place is handed over, not given back, so that nobody slips in between.
        const next = urgent.shift() ?? others.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
