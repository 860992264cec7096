import type { Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait, REQUEST_LIMITS } from '../database/query/batch.ts';
import { SERIALIZATION_FAILURE } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';

/** Result of a rate window. `retrySeconds` are the whole seconds until the window has room, at least 1. */
export type RateSlot = { granted: true } | { granted: false; retrySeconds: number };

/** A request that one sliding window of 60 seconds limits. */
export interface LimitedRequest {
  /** The limited thing, such as `page:203.0.113.7`. It never contains a key or a mail address. */
  subject: string;
  /** Requests per minute. */
  limit: number;
}

/** Counts a request, or refuses it. */
export type RateSlots = (request: LimitedRequest) => Promise<RateSlot>;

/** Tries per statement. A try fails if another request inserts or deletes one of its windows during the statement. */
const MAX_TRIES = 3;

/** Most requests per statement, as for admissions of the API. It locks its rate windows for less than a millisecond. */
const BATCH = 32;

/** Creates the rate slots of one process. Requests that arrive together share a statement; each is counted by itself. */
export function createRateSlots(newScope: () => Scope): RateSlots {
  const run = (requests: readonly LimitedRequest[], wait: LockWait) => takeAll(newScope(), requests, wait);
  return batched<LimitedRequest, RateSlot>(run, { ...REQUEST_LIMITS, size: BATCH, laneOf: ({ subject }) => subject });
}

/** Counts one request by a statement of its own, or refuses it. */
export async function takeRateSlot(scope: Scope, subject: string, limit: number): Promise<RateSlot> {
  const [slot] = await takeAll(scope, [{ subject, limit }], 'fully');
  if (slot === undefined || slot === BUSY) throw new Error('a statement that waits for locks counts each request');
  return slot;
}

async function takeAll(
  scope: Scope,
  requests: readonly LimitedRequest[],
  wait: LockWait,
): Promise<(RateSlot | typeof BUSY)[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToTake(scope, requests, wait);
    } catch (error) {
      if (sqlState(error) !== SERIALIZATION_FAILURE || tries === MAX_TRIES) throw error;
    }
  }
}

async function tryToTake(
  { em, clock }: Scope,
  requests: readonly LimitedRequest[],
  wait: LockWait,
): Promise<(RateSlot | typeof BUSY)[]> {
  const rows = await sql<{ granted: boolean | null; reset_seconds: number }>(
    em,
    'select granted, reset_seconds from take_rate_slots($1, $2, $3, $4, $5)',
    [
      requests.map(({ subject, limit }) => `${subject}/${limit}`),
      requests.map(({ limit }) => limit),
      clock.shared(),
      LOCK_WAIT_MS[wait],
      wait === 'never',
    ],
    { keepPlan: true },
  );
  return rows.map(({ granted, reset_seconds: retrySeconds }) => {
    if (granted === null) return BUSY;
    return granted ? { granted } : { granted, retrySeconds };
  });
}
