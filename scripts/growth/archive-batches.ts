import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Observes the batches of the archive until it is stopped. */
export interface BatchObserver {
  /** Returns the longest time of a batch, in milliseconds. */
  stop(): Promise<number>;
}

/** Interval between observations. A batch may last up to this much longer than measured. */
const EVERY_MS = 20;

/** Starts to observe how long the transactions of batches last. A late change of a link can wait as long. */
export function observeBatches(url: string): BatchObserver {
  let isStopped = false;
  let longestMs = 0;
  const observe = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      while (!isStopped) {
        const { rows } = await client.query<{ ms: number | null }>(
          `select max(extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as ms from pg_stat_activity
           where datname = current_database() and state = 'active' and query like 'select archived, last_id%'`,
        );
        longestMs = Math.max(longestMs, rows[0]?.ms ?? 0);
        await pause(EVERY_MS);
      }
    } finally {
      await client.end();
    }
  };
  const observed = observe();
  // The error is thrown by `stop`.
  observed.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await observed;
      return longestMs;
    },
  };
}
