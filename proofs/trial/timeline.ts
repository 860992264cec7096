import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A success or a failure, at a reading of `performance.now()`. */
interface Observation {
  atMs: number;
  isSuccess: boolean;
}

export class Timeline {
  readonly #observations: Observation[] = [];

  record(isSuccess: boolean): void {
    this.#observations.push({ atMs: performance.now(), isSuccess });
  }

  /** Returns the longest time without a success in a period, and its end. */
  longestGap(sinceMs: number, untilMs: number): { seconds: number; toMs: number } {
    const successes = this.#observations.filter(({ isSuccess }) => isSuccess).map(({ atMs }) => atMs);
    const ends = [...successes.filter((ms) => ms >= sinceMs && ms < untilMs), untilMs];
    const gaps = ends.map((toMs, at) => ({ toMs, seconds: toTenths((toMs - (ends[at - 1] ?? sinceMs)) / 1_000) }));
    return gaps.reduce((longest, gap) => (gap.seconds > longest.seconds ? gap : longest));
  }

  /** Returns the seconds between the first and the last failure within a period; 0 if there is none. */
  failingSeconds(fromMs: number, toMs: number): number {
    const failures = this.#observations
      .filter(({ isSuccess, atMs }) => !isSuccess && atMs >= fromMs && atMs < toMs)
      .map(({ atMs }) => atMs);
    return failures.length === 0 ? 0 : toTenths((Math.max(...failures) - Math.min(...failures)) / 1_000);
  }
}

export function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Pause between two probes, and time after which a probe without an answer is abandoned. */
const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 1_000;

/**
 * Commits to a table of its own, again and again, each time on a new connection.
 *
 * @param connectionString address of a database that exists, in the cluster under test
 */
export async function startProbe(connectionString: string) {
  const commits = new Timeline();
  let isOver = false;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString, application_name: 'probe' });
    client.on('error', () => undefined);
    const timer = setTimeout(() => client.connection.stream.destroy(), PROBE_TIMEOUT_MS);
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      clearTimeout(timer);
      client.connection.stream.destroy();
    }
  };
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const inserted = run('insert into probes values (clock_timestamp())');
      await inserted.then(
        () => commits.record(true),
        () => commits.record(false),
      );
      await pause(PROBE_EVERY_MS);
    }
  };
  await run('create table if not exists probes (at timestamptz not null)');
  const loop = probe();
  return {
    commits,
    async stop() {
      isOver = true;
      await loop;
    },
  };
}
