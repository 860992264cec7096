import type { Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import { SERIALIZATION_FAILURE } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';

/** Result of a rate window. `retrySeconds` are the whole seconds until the window has room, at least 1. */
export type RateSlot = { granted: true } | { granted: false; retrySeconds: number };

/** Tries per request. A try fails if another request inserts or deletes the same window during the statement. */
const MAX_TRIES = 3;

/**
 * Counts one request in a sliding window of 60 seconds, or refuses it.
 *
 * @param subject the limited thing, such as `page:203.0.113.7`; it never contains a key or a mail address
 * @param limit requests per minute
 */
export async function takeRateSlot(scope: Scope, subject: string, limit: number): Promise<RateSlot> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToTake(scope, `${subject}/${limit}`, limit);
    } catch (error) {
      if (sqlState(error) !== SERIALIZATION_FAILURE || tries === MAX_TRIES) throw error;
    }
  }
}

async function tryToTake({ em, clock }: Scope, subject: string, limit: number): Promise<RateSlot> {
  const [row] = await sql<{ granted: boolean; reset_seconds: number }>(
    em,
    'select granted, reset_seconds from take_rate_slot($1, $2, $3)',
    [subject, limit, clock.shared()],
    { keepPlan: true },
  );
  if (row === undefined) throw new Error('take_rate_slot returned no row');
  return row.granted ? { granted: true } : { granted: false, retrySeconds: row.reset_seconds };
}
