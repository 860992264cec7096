/** Fewest minutes that can be judged. Quarters need four, and the rule about autovacuum more than ten. */
export const FEWEST_MINUTES = 11;

/** A quarter of a run. */
export interface Quarter<Minute> {
  /** The minute before the quarter. */
  before: Minute;
  /** The minutes of the quarter. */
  minutes: readonly Minute[];
  /** The last of them. */
  end: Minute;
}

/**
 * Returns the second and the last quarter of a run, which are compared with each other.
 *
 * @throws Error for fewer than `FEWEST_MINUTES`
 */
export function quartersOf<Minute>(minutes: readonly Minute[]): { second: Quarter<Minute>; last: Quarter<Minute> } {
  if (minutes.length < FEWEST_MINUTES) throw new Error(`a run of fewer than ${FEWEST_MINUTES} minutes is not judged`);
  const length = Math.floor(minutes.length / 4);
  return { second: quarterFrom(minutes, length, length), last: quarterFrom(minutes, minutes.length - length, length) };
}

function quarterFrom<Minute>(all: readonly Minute[], start: number, length: number): Quarter<Minute> {
  const minutes = all.slice(start, start + length);
  const [before, end] = [all[start - 1], minutes.at(-1)];
  if (before === undefined || end === undefined) throw new Error('a quarter has a minute, and one before it');
  return { before, minutes, end };
}
