import type { Scope } from '../platform/base/scope.ts';
import { sqlState } from '../platform/base/sql-state.ts';
import { createBatcher, type LockWaitMs, REQUEST_LIMITS } from '../platform/database/query/batch.ts';
import { SERIALIZATION_FAILURE } from '../platform/database/query/errors.ts';
import { sql } from '../platform/database/query/sql.ts';

/** A request that a sliding window of 60 seconds limits, and after it the window of its key. */
interface CountedRequest {
  /** The limited thing, such as `address:203.0.113.7`. It never contains a key or a mail address. */
  subject: string;
  /** Requests of the subject per minute. */
  limit: number;
  /** SHA-256 of the key; null if only the subject is counted. */
  hash: Buffer | null;
}

/** Result of a rate window. `retrySeconds` are the whole seconds until the window has room, at least 1. */
export type RateSlot = { granted: true } | { granted: false; retrySeconds: number };

/** Counts or refuses a request without a key. */
export type RateSlots = (request: Pick<CountedRequest, 'subject' | 'limit'>) => Promise<RateSlot>;

/** Verdicts of `admit_requests` that refuse a request with an API operation. Each is a reason. */
export const REFUSALS = [
  'address_limited',
  'failures_limited',
  'key_limited',
  'no_key',
  'unknown_key',
  'access_disabled',
] as const;

type Refusal = (typeof REFUSALS)[number];

/** Row of `admit_requests`. The columns about the key are null unless the verdict says that it was found. */
export interface Verdict {
  verdict: Refusal | 'accepted';
  api_key_id: string;
  practice_id: string;
  test: boolean;
  scopes: string[];
  location_id: string | null;
  key_limit: number;
  remaining: number;
  reset_seconds: number;
}

/** Invalid keys per minute of one subject. The next one is answered 429 instead of 401. */
const FAILURES_PER_MINUTE = 30;

/** Tries per statement. A try fails if another process inserts or deletes one of the windows during the statement. */
const MAX_TRIES = 3;

/** Returns the function that counts the requests of one process. Requests that arrive together share a statement. */
export function createRateWindows(newScope: () => Scope): (request: CountedRequest) => Promise<Verdict> {
  // One scope serves all statements, because none of them has entities or a transaction.
  const scope = newScope();
  return createBatcher((requests, lockWaitMs) => countRequests(scope, requests, lockWaitMs), {
    ...REQUEST_LIMITS,
    groupOf: ({ subject, hash }: CountedRequest) => (hash === null ? subject : hash.toString('base64')),
  });
}

/** Counts one request by a separate statement, or refuses it. */
export async function takeRateSlot(scope: Scope, subject: string, limit: number): Promise<RateSlot> {
  const [verdict] = await countRequests(scope, [{ subject, limit, hash: null }], null);
  if (verdict === undefined) throw new Error('a statement that waits for locks counts each request');
  return toSlot(verdict);
}

/** Returns the slot of a request without a key. `no_key` is its verdict if the window admits it. */
export function toSlot({ verdict, reset_seconds: retrySeconds }: Verdict): RateSlot {
  return verdict === 'no_key' ? { granted: true } : { granted: false, retrySeconds };
}

/** Counts requests in one statement, each as if it came alone. Returns their verdicts in the same order. */
async function countRequests(
  { em, clock }: Scope,
  requests: readonly CountedRequest[],
  lockWaitMs: LockWaitMs,
): Promise<Verdict[]> {
  const values = [
    requests.map(({ subject, limit }) => `${subject}/${limit}`),
    requests.map(({ limit }) => limit),
    requests.map(({ hash }) => hash),
    ...[FAILURES_PER_MINUTE, clock.shared(), lockWaitMs],
  ];
  for (let tries = 1; ; tries++) {
    try {
      const text = 'select * from admit_requests($1, $2, $3, $4, $5, $6)';
      return await sql<Verdict>(em, text, values, { keepPlan: true });
    } catch (error) {
      if (sqlState(error) !== SERIALIZATION_FAILURE || tries === MAX_TRIES) throw error;
    }
  }
}

/** Rate windows that one statement deletes. Each has as many slots as its limit, mostly 120. */
const BATCH_ROWS = 500;

/**
 * Deletes rate windows that were unused for five minutes, with their slots: for their 60 seconds, and four minutes for differences between
 * clocks. A concurrent request waits for the row and then starts a new window. @returns true if there may be more
 */
export async function purgeIdleWindows(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ windows: number }>(
    scope.em,
    `with idle as (
       delete from rate_windows where subject in (
         select subject from rate_windows
         where newest_at < coalesce($1, clock_timestamp()) - interval '5 minutes'
         limit $2 for update skip locked
       ) returning subject
     ), slots as (
       delete from rate_slots using idle where rate_slots.subject = idle.subject
     )
     select count(*)::integer as windows from idle`,
    [scope.clock.shared(), BATCH_ROWS],
  );
  return row?.windows === BATCH_ROWS;
}
