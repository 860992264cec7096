import { report } from '../platform/base/diagnostics.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { Caller, Scope } from '../platform/base/scope.ts';
import { createRateWindows, type RateSlots, toSlot, type Verdict } from './rate-windows.ts';
import { hashKey } from './service.ts';

/** The key's rate window after this request, for the `RateLimit-*` headers. */
export interface KeyLimit {
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  resetSeconds: number;
}

const FORM = 'send "Authorization: Bearer" and then the API key';

/** Returns the key in the lines of the header, and the message if it is not accepted, which never repeats the text. */
function readKey([line, ...otherLines]: readonly string[]): { key: string | null; fault: string } {
  const noKey = (fault: string) => ({ key: null, fault });
  if (line === undefined) return noKey(`The Authorization header is missing; ${FORM}.`);
  if (otherLines.length > 0) return noKey('The request has more than one Authorization header.');
  const text = /^bearer(?: +|$)(.*)$/i.exec(line)?.[1];
  if (text === undefined) return noKey(`The Authorization header lacks Bearer; ${FORM}.`);
  const key = /^pp_(?:test|live)_[\w-]{16,64}$/.exec(text)?.[0];
  if (key === undefined) return noKey('The API key is malformed; a key begins with pp_test_ or pp_live_.');
  return { key, fault: 'The API key is unknown, revoked or expired.' };
}

export type Admissions = ReturnType<typeof createAdmissions>;

/** Stands in for the hash of a malformed key. It matches no key, so the request counts as one with an invalid key. */
const MALFORMED = Buffer.alloc(0);

/** Creates the admissions of one process. One statement (`admit_requests`) admits a batch. */
export function createAdmissions(newScope: () => Scope, addressLimit: number) {
  const count = createRateWindows(newScope);
  const countAddress = (address: string, hash: Buffer | null) =>
    count({ subject: `address:${address}`, limit: addressLimit, hash });
  const takeSlot: RateSlots = async (request) => toSlot(await count({ ...request, hash: null }));
  return {
    takeSlot,
    /** Counts a request in the rate window of its address, without a key (unknown paths). @throws ApiError `rate_limited` */
    async admitAddress(address: string): Promise<void> {
      const row = await countAddress(address, null);
      // The verdict of a request without a key that its window admits.
      if (row.verdict !== 'no_key') throw refuse(row);
    },
    /**
     * Checks the address's rate window, the key, API access and the key's rate window. It reads the key from the database
     * each time, so every process rejects a revoked key at its next request.
     * @param authorization lines of the `Authorization` header
     * @returns `refusal`: `api_access_disabled` or `rate_limited`; null if there is none
     * @throws ApiError `rate_limited` (the address, or its number of invalid keys) or `invalid_api_key`
     */
    async admitKey(address: string, authorization: readonly string[]) {
      const { key, fault } = readKey(authorization);
      const hash = key === null ? MALFORMED : hashKey(key);
      const row = await countAddress(address, authorization.length === 0 ? null : hash);
      const refusal = row.verdict === 'accepted' ? null : refuse(row, fault);
      if (refusal !== null && !WITH_KEY.includes(row.verdict)) throw refusal;
      const { api_key_id: apiKeyId, practice_id: practiceId, test, scopes, location_id: locationId } = row;
      const caller: Caller = { apiKeyId, practiceId, test, scopes, locationId };
      const keyLimit: KeyLimit = { limit: row.key_limit, remaining: row.remaining, resetSeconds: row.reset_seconds };
      return { caller, keyLimit, refusal };
    },
  };
}

/** Verdicts that refuse a request whose key is accepted. */
const WITH_KEY: readonly Verdict['verdict'][] = ['access_disabled', 'key_limited'];

/** Reports a refusal, and returns its error. */
function refuse({ verdict, reset_seconds: retryAfterSeconds }: Verdict, message?: string): ApiError {
  report('admission_refused', () => ({ reason: verdict }));
  if (verdict === 'access_disabled') return new ApiError('api_access_disabled');
  if (verdict === 'no_key' || verdict === 'unknown_key') return new ApiError('invalid_api_key', { message });
  return new ApiError('rate_limited', { retryAfterSeconds });
}
