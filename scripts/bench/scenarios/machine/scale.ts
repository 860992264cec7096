import type { Load } from '../../processes/http-load.ts';
import type { Helpers } from '../../stage.ts';

/** Numbers of processes to compare. */
const NUMBERS = [1, 2, 4, 8];

/** Runs on every machine, so that its figures can be compared with those of another. */
const ALWAYS_UP_TO = 4;

/** With more, the connections of a kind would be more than the 200 of the benchmark's PostgreSQL. */
const MOST = { serve: 8, worker: 4 };

/** One is enough to keep several APIs busy: it makes 61,000 requests a second of a server that answers at once. */
const CORES_PER_LOAD_PROCESS = 8;

/** Returns the numbers of processes of a kind that are compared on a machine. */
export function processesOn(cores: number, kind: keyof typeof MOST): number[] {
  return NUMBERS.filter((number) => number <= MOST[kind] && (number <= ALWAYS_UP_TO || hasCoresFor(number, cores)));
}

/**
 * Returns true if each process has a core, and another one for its part of the database and the load. Otherwise more
 * processes only share what one already fills, and their rate says nothing about the service.
 */
export function hasCoresFor(processes: number, cores: number): boolean {
  return cores >= 2 * processes;
}

/** Returns the number of processes that put the load. */
export function loadProcessesOn(cores: number): number {
  return Math.max(1, Math.floor(cores / CORES_PER_LOAD_PROCESS));
}

/** Divides the connections of a load among processes, and returns the answers per second of all of them. */
export async function putDividedLoad(helpers: readonly Helpers['load'][], load: Load): Promise<number> {
  const firstOf = (part: number) => Math.round((load.connections * part) / helpers.length);
  const parts = helpers.map((helper, index) => {
    const first = firstOf(index);
    return helper.call('putLoad', { ...load, firstConnection: first, connections: firstOf(index + 1) - first });
  });
  return (await Promise.all(parts)).reduce((sum, { perSecond }) => sum + perSecond, 0);
}
