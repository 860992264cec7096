import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Scope } from '../base/scope.ts';
import { decryptSecret, encryptSecret } from '../base/secrets.ts';
import { apiScopes } from '../contract/document.ts';
import { Location } from '../practices/location.entity.ts';
import { getPractice } from '../practices/service.ts';
import { ApiKey } from './api-key.entity.ts';

/** Section 8: requests per key and minute, unless the key was given more. */
const DEFAULT_REQUESTS_PER_MINUTE = 120;

/** More would make a single window's ring larger than it is worth. */
const MAX_REQUESTS_PER_MINUTE = 100_000_000;

/** 24 random bytes are 192 bits and 32 characters of base64url: nothing to guess, nothing to pad. */
const KEY_BYTES = 24;

/** What a new key needs to be told. */
export interface NewApiKey {
  practiceId: string;
  test: boolean;
  /** Empty or absent: all scopes. */
  scopes?: readonly string[];
  /** Pins the key to one location. */
  locationId?: string | null;
  expiresAt?: Date | null;
  requestsPerMinute?: number;
}

/**
 * Issues a key. The clear key is returned here and, for live keys, never again: only its hash is stored. Test keys are
 * stored encrypted besides, where a `SECRETS_KEY` is configured.
 */
export async function issueKey(scope: Scope, input: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
  await getPractice(scope, input.practiceId);
  await checkNewKey(scope, input);
  const now = scope.clock.now();
  const key = `${input.test ? 'pp_test_' : 'pp_live_'}${randomBytes(KEY_BYTES).toString('base64url')}`;
  const id = newId('apiKey', now);
  const apiKey = scope.em.create(ApiKey, {
    id,
    practiceId: input.practiceId,
    test: input.test,
    hash: hashKey(key),
    ciphertext: input.test ? encryptSecret(scope.keyring, placeOf(id), key) : null,
    lastFour: key.slice(-4),
    scopes: input.scopes?.length ? [...new Set(input.scopes)] : [...apiScopes],
    locationId: input.locationId ?? null,
    requestsPerMinute: input.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
    expiresAt: input.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  });
  await scope.em.flush();
  return { apiKey, key };
}

/** All keys of a practice, oldest first. */
export async function listKeys(scope: Scope, practiceId: string): Promise<ApiKey[]> {
  await getPractice(scope, practiceId);
  return scope.em.find(ApiKey, { practiceId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** A test key in clear, or the reason why it can't be shown. */
export async function showKey(scope: Scope, id: string): Promise<{ apiKey: ApiKey; key: string }> {
  const apiKey = await getKey(scope, id);
  if (!apiKey.test) {
    throw new ApiError('validation_error', {
      message: 'Live keys are shown once, when they are created. Create a new one and revoke this one.',
    });
  }
  const key = apiKey.ciphertext === null ? null : decryptSecret(scope.keyring, placeOf(id), apiKey.ciphertext);
  if (key === null) {
    throw new ApiError('validation_error', {
      message: 'This key was made without a SECRETS_KEY, or under one that is not configured now.',
    });
  }
  return { apiKey, key };
}

/** Revokes a key, effective at its next request in every process; again changes nothing. */
export async function revokeKey(scope: Scope, id: string): Promise<ApiKey> {
  const apiKey = await getKey(scope, id);
  apiKey.revokedAt ??= scope.clock.now();
  await scope.em.flush();
  return apiKey;
}

/** What is stored and looked up of a key. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

async function getKey(scope: Scope, id: string): Promise<ApiKey> {
  const apiKey = await scope.em.findOne(ApiKey, { id });
  if (apiKey === null) throw new ApiError('not_found', { message: 'No such API key.' });
  return apiKey;
}

async function checkNewKey(scope: Scope, input: NewApiKey): Promise<void> {
  const refuse = (param: string, message: string) => new ApiError('validation_error', { param, message });
  const known: readonly string[] = apiScopes;
  if (input.scopes?.some((name) => !known.includes(name))) {
    throw refuse('scopes', `Scopes are ${apiScopes.join(', ')}.`);
  }
  const limit = input.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_REQUESTS_PER_MINUTE) {
    throw refuse('requestsPerMinute', `Requests per minute are a whole number from 1 to ${MAX_REQUESTS_PER_MINUTE}.`);
  }
  if (input.locationId) {
    const location = await scope.em.findOne(Location, { id: input.locationId, practiceId: input.practiceId });
    if (location === null) throw new ApiError('not_found', { message: 'No such location in this practice.' });
  }
}

function placeOf(id: string): string {
  return `api_keys:${id}`;
}
