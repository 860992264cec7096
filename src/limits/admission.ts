import { ApiError } from '../base/errors.ts';
import type { Caller, Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait } from '../database/query/batch.ts';
import { SERIALIZATION_FAILURE } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';
import { hashKey } from '../keys/service.ts';

/** Wrong keys a minute from one address before the next is answered 429 instead of 401 (decision on throttling). */
const FAILURES_PER_MINUTE = 30;

/** The key's window after this request, for the `RateLimit-*` headers. */
export interface KeyLimit {
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  resetSeconds: number;
}

/** Present whenever the key itself was accepted; the refusals after that still tell the caller its limits. */
export interface Admission {
  caller: Caller;
  keyLimit: KeyLimit | null;
  /** `api_access_disabled` or `rate_limited`, or null when the request may go on. */
  refusal: ApiError | null;
}

/** What stands in the `Authorization` header: nothing, something that can't be a key, or a candidate. */
export type Credentials = { kind: 'missing' } | { kind: 'malformed' } | { kind: 'key'; key: string };

interface Asked {
  address: string;
  /** Null when no key is looked at. */
  hash: Buffer | null;
}

interface Verdict {
  verdict: string;
  api_key_id: string;
  practice_id: string;
  test: boolean;
  scopes: string[];
  location_id: string | null;
  key_limit: number | null;
  remaining: number | null;
  reset_seconds: number;
}

/** Reads the header's lines. Keys are told by their prefix and alphabet; everything else is malformed. */
export function readCredentials(authorization: readonly string[]): Credentials {
  if (authorization.length === 0) return { kind: 'missing' };
  const match = /^bearer +(pp_(?:test|live)_[\w-]{16,64})$/i.exec(authorization[0] ?? '');
  const key = match?.[1];
  return key === undefined || authorization.length > 1 ? { kind: 'malformed' } : { kind: 'key', key };
}

/** Admits the requests of one process. */
export interface Admissions {
  /**
   * Takes a place in the window of the address, for requests that no key is looked at for (unknown paths).
   *
   * @throws ApiError `rate_limited`
   */
  admitAddress(address: string): Promise<void>;
  /**
   * Window of the address, key, API access, window of the key. The key is read afresh every time, which is what makes a
   * revocation effective at the next request in every process.
   *
   * @throws ApiError `rate_limited` (address, or too many wrong keys from it) or `invalid_api_key`
   */
  admitKey(address: string, credentials: Credentials): Promise<Admission>;
}

/** Most requests per statement: windows are locked for as long as it takes, less than a millisecond for as many. */
const BATCH = 32;

/** Statements of one process at once; whoever comes meanwhile goes together with the next. */
const CONCURRENCY = 1;

/** Far longer than a statement takes that doesn't wait for a lock. */
const PATIENCE_MS = 50;

/**
 * The only row that is kept, a key's last use, may be lost in a crash. So nothing is waited for at the commit: while the
 * synchronous standbys are away, requests are admitted, and those that only read are served.
 */
const ADMIT = `
  select a.* from admit_requests($1, $2, $3, $4, $5, $6, $7) as a, set_config('synchronous_commit', 'off', true)`;

/**
 * Two connections may wait for windows which somebody holds. A request waits for one of them, and then for its window,
 * seven seconds in all.
 */
const LANES = { places: 2, maxWaitMs: 3_000 };

/** The hash of no key: what a malformed one is looked up as, so that it counts as a wrong one. */
const MALFORMED = Buffer.alloc(0);

/** Requests that come together are admitted by one statement (`admit_requests`), each as if it came alone. */
export function createAdmissions(newScope: () => Scope, addressLimit: number): Admissions {
  const admit = batched<Asked, Verdict>((asked, wait) => admitAll(newScope, addressLimit, asked, wait), {
    size: BATCH,
    concurrency: CONCURRENCY,
    patienceMs: PATIENCE_MS,
    laneOf: ({ address, hash }) => (hash === null ? address : hash.toString('base64')),
    lanes: LANES,
  });
  const admitOne = async (address: string, hash: Buffer | null): Promise<Verdict> => {
    const row = await admit({ address, hash });
    if (row.verdict === 'address_limited' || row.verdict === 'failures_limited') throw rateLimited(row.reset_seconds);
    return row;
  };
  return {
    async admitAddress(address) {
      await admitOne(address, null);
    },
    async admitKey(address, credentials) {
      const hash = credentials.kind === 'key' ? hashKey(credentials.key) : MALFORMED;
      const row = await admitOne(address, credentials.kind === 'missing' ? null : hash);
      if (row.verdict === 'no_key' || row.verdict === 'unknown_key') throw new ApiError('invalid_api_key');
      const caller: Caller = {
        apiKeyId: row.api_key_id,
        practiceId: row.practice_id,
        test: row.test,
        scopes: row.scopes,
        locationId: row.location_id,
      };
      const keyLimit =
        row.key_limit === null
          ? null
          : { limit: row.key_limit, remaining: row.remaining ?? 0, resetSeconds: row.reset_seconds };
      return { caller, keyLimit, refusal: refusalOf(row) };
    },
  };
}

/** Times that another process may make or remove a window in the middle of a statement; two in a row hardly happen. */
const MAX_TRIES = 3;

async function admitAll(
  newScope: () => Scope,
  addressLimit: number,
  asked: readonly Asked[],
  wait: LockWait,
): Promise<(Verdict | typeof BUSY)[]> {
  for (let tries = 1; ; tries++) {
    try {
      const verdicts = await tryToAdmit(newScope(), addressLimit, asked, wait);
      return verdicts.map((verdict) => (verdict.verdict === 'busy' ? BUSY : verdict));
    } catch (error) {
      if (sqlState(error) !== SERIALIZATION_FAILURE || tries === MAX_TRIES) throw error;
    }
  }
}

function tryToAdmit(scope: Scope, addressLimit: number, asked: readonly Asked[], wait: LockWait): Promise<Verdict[]> {
  return sql<Verdict>(
    scope.em,
    ADMIT,
    [
      asked.map(({ address }) => address),
      asked.map(({ hash }) => hash),
      addressLimit,
      FAILURES_PER_MINUTE,
      scope.clock.shared(),
      LOCK_WAIT_MS[wait],
      wait === 'never',
    ],
    { keepPlan: true },
  );
}

function refusalOf(row: Verdict): ApiError | null {
  if (row.verdict === 'access_disabled') return new ApiError('api_access_disabled');
  if (row.verdict === 'key_limited') return rateLimited(row.reset_seconds);
  return null;
}

function rateLimited(retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', { retryAfterSeconds });
}
