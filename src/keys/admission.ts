import { ApiError } from '../base/errors.ts';
import type { Caller, Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { hashKey } from './service.ts';

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

/**
 * Takes a place in the window of the address, for requests that no key is looked at for (unknown paths).
 *
 * @throws ApiError `rate_limited`
 */
export async function admitAddress(scope: Scope, address: string, addressLimit: number): Promise<void> {
  await admit(scope, address, addressLimit, null);
}

/**
 * Admits a request in one statement: window of the address, key, API access, window of the key. The statement reads the
 * key afresh every time, which is what makes a revocation effective at the next request in every process.
 *
 * @throws ApiError `rate_limited` (address, or too many wrong keys from it) or `invalid_api_key`
 */
export async function admitKey(
  scope: Scope,
  address: string,
  addressLimit: number,
  credentials: Credentials,
): Promise<Admission> {
  const hash = credentials.kind === 'key' ? hashKey(credentials.key) : MALFORMED;
  const row = await admit(scope, address, addressLimit, credentials.kind === 'missing' ? null : hash);
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
}

/** The hash of no key: what a malformed one is looked up as, so that it counts as a wrong one. */
const MALFORMED = Buffer.alloc(0);

async function admit(scope: Scope, address: string, addressLimit: number, hash: Buffer | null): Promise<Verdict> {
  const values = [address, addressLimit, FAILURES_PER_MINUTE, hash, scope.clock.shared()];
  const statement = 'select * from admit_request($1, $2, $3, $4, $5)';
  const [row] = await sql<Verdict>(scope.em, statement, values, { keepPlan: true });
  if (row === undefined) throw new Error('admit_request returned no row');
  if (row.verdict === 'address_limited' || row.verdict === 'failures_limited') throw rateLimited(row.reset_seconds);
  return row;
}

function refusalOf(row: Verdict): ApiError | null {
  if (row.verdict === 'access_disabled') return new ApiError('api_access_disabled');
  if (row.verdict === 'key_limited') return rateLimited(row.reset_seconds);
  return null;
}

function rateLimited(retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', { retryAfterSeconds });
}
