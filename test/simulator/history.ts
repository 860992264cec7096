import { randomNumbers, withSeededIds } from './faults.ts';
import { World } from './world.ts';

/*
 * A history is a list of random numbers. Each number is a step, whose effect also depends on the present state. A seed determines
 * its history, so it repeats a run. A history that fails is shrunk by leaving out steps; `SHRINK=0` saves that time.
 */

/** Steps of a history, before `World.settle`. */
const LENGTH = 400;

export interface Failure {
  seed: number;
  message: string;
  /** Steps of the shortest history with this failure that was found, in words. */
  steps: readonly string[];
}

/** Runs the history of a seed. Returns the number of its steps, and its failure; null if no invariant was broken. */
export async function runSeed(seed: number): Promise<{ steps: number; failure: Failure | null }> {
  const history = Array.from({ length: LENGTH }, randomNumbers(seed));
  const { stackTraceLimit } = Error;
  // Refusals are errors. A history may have hundreds, and a stack trace is slow.
  Error.stackTraceLimit = 0;
  try {
    const { world, message } = await run(seed, history);
    if (message === null) return { steps: world.steps, failure: null };
    const steps = process.env.SHRINK === '0' ? [] : await shrink(seed, history, message);
    return { steps: world.steps, failure: { seed, message, steps } };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function run(seed: number, history: readonly number[], trace: string[] | null = null) {
  return withSeededIds(seed, async () => {
    const world = new World({ trace });
    try {
      for (const number of history) await world.step(number);
      await world.settle();
      return { world, message: null };
    } catch (error) {
      return { world, message: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Leaves out steps, as long as the same failure occurs without them. Returns those that are left, in words. */
async function shrink(seed: number, history: readonly number[], message: string): Promise<string[]> {
  let shortest = history;
  for (let size = history.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < shortest.length; ) {
      const shorter = shortest.toSpliced(from, size);
      if (kindOf((await run(seed, shorter)).message) === kindOf(message)) shortest = shorter;
      else from += size;
    }
  }
  const steps: string[] = [];
  await run(seed, shortest, steps);
  return steps;
}

/** Returns the first line of a message without ids and numbers. */
function kindOf(message: string | null): string | null {
  return message?.split('\n')[0]?.replaceAll(/[a-z]+_\w+|\d+/g, '') ?? null;
}

export function textOf({ seed, message, steps }: Failure): string {
  return [`SEED=${seed}: ${message}`, ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
}
