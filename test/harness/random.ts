/** Random choices that one seed repeats. */
export type Random = ReturnType<typeof createRandom>;

/** The generator mulberry32: 32 bits of state, good enough to choose victims, and a seed is one number. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** Returns a number in [0, 1). */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** Returns a whole number from `from` to `to`, both included. */
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    /** @throws Error if there is nothing to choose from */
    pick<T>(from: readonly T[]): T {
      const chosen = from[integer(0, from.length - 1)];
      if (chosen === undefined) throw new Error('there is nothing to choose from');
      return chosen;
    },
  };
}
