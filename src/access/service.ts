import { createHash } from 'node:crypto';
import { apiScopes } from '../contract/document.ts';
import type { ApiScope } from '../contract/operations-type.ts';
import { ApiError } from '../platform/base/errors.ts';
import { isId, newId } from '../platform/base/ids.ts';
import { randomText } from '../platform/base/random-text.ts';
import { modeName, type Scope } from '../platform/base/scope.ts';
import { decryptSecret, encryptSecret } from '../platform/base/secrets.ts';
import type { SecretColumn } from '../platform/database/query/rotate-secrets.ts';
import type { Act } from '../practices/audit/audit.ts';
import { getPractice } from '../practices/find.ts';
import { Location } from '../practices/location.entity.ts';
import { queueOwnerMails } from '../practices/mail/owner-mails.ts';
import { ApiKey } from './api-key.entity.ts';

/** Limit of a key (the guide's section on rate limits). A rate window has one slot for each request. */
const DEFAULT_REQUESTS_PER_MINUTE = 120;
const MAX_REQUESTS_PER_MINUTE = 100_000_000;

/** In characters. */
export const MAX_KEY_NAME_LENGTH = 60;

/** Returns true if a key can be shown again: a test key that is stored encrypted. */
export function canShowKey({ test, ciphertext }: ApiKey): boolean {
  return test && ciphertext !== null;
}

export function keyState({ clock }: Scope, { revokedAt, expiresAt }: ApiKey): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= clock.now() ? 'expired' : 'active';
}

export interface NewApiKey
  extends KeyOwner,
    Partial<Pick<ApiKey, 'name' | 'locationId' | 'expiresAt' | 'requestsPerMinute' | 'createdBy'>> {
  /** Empty or absent means all scopes. */
  scopes?: readonly ApiScope[];
}

/** Creates a key and returns it in clear. Of a live key only the hash is stored, so it cannot be shown again. */
export async function issueKey(scope: Scope, input: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
  const { practiceId, test } = input;
  await getPractice(scope, practiceId);
  await checkNewKey(scope, input);
  const now = scope.clock.now();
  // 190 random bits: nobody guesses them, and a fast hash protects them.
  const key = `pp_${modeName(input)}_${randomText(32)}`;
  const id = newId('apiKey', now);
  const apiKey = scope.em.create(ApiKey, {
    id,
    practiceId,
    test,
    name: input.name ?? null,
    hash: hashKey(key),
    ciphertext: test ? encryptSecret(scope.keyring, bindKey(id), key) : null,
    lastFour: key.slice(-4),
    scopes: input.scopes?.length ? [...new Set(input.scopes)] : [...apiScopes],
    locationId: input.locationId ?? null,
    requestsPerMinute: input.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
    expiresAt: input.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
    createdBy: input.createdBy ?? null,
  });
  await scope.em.flush();
  if (!test) await queueOwnerMails(scope, { kind: 'live_key', practiceId, subjectId: id });
  return { apiKey, key };
}

export async function listKeys(scope: Scope, practiceId: string): Promise<ApiKey[]> {
  await getPractice(scope, practiceId);
  return scope.em.find(ApiKey, { practiceId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

export type KeyOwner = Pick<ApiKey, 'practiceId' | 'test'>;

export function listOwnedKeys({ em }: Scope, owner: KeyOwner): Promise<ApiKey[]> {
  return em.find(ApiKey, { ...owner }, { orderBy: { createdAt: 'desc', id: 'desc' } });
}

/** Returns the live keys that a person created and that still work, the oldest first. */
export function listLiveKeysCreatedBy({ em, clock }: Scope, practiceId: string, personId: string): Promise<ApiKey[]> {
  const conditions = { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: clock.now() } }] };
  const creator = { practiceId, test: false, createdBy: personId };
  return em.find(ApiKey, { ...creator, ...conditions }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** Returns a key of the owner, or for the operator the key of anyone. @throws ApiError `not_found` */
export async function getKey({ em }: Scope, owner: KeyOwner | 'anyone', id: string): Promise<ApiKey> {
  const where = owner === 'anyone' ? {} : owner;
  const apiKey = isId('apiKey', id) ? await em.findOne(ApiKey, { ...where, id }) : null;
  if (apiKey === null) throw new ApiError('not_found', { message: 'No such API key.' });
  return apiKey;
}

/** Returns a test key in clear. @throws ApiError `validation_error` with the reason if it cannot be shown */
export async function showKey(scope: Scope, id: string): Promise<{ apiKey: ApiKey; key: string }> {
  const apiKey = await getKey(scope, 'anyone', id);
  const key = apiKey.ciphertext === null ? null : decryptSecret(scope.keyring, bindKey(id), apiKey.ciphertext);
  if (key !== null) return { apiKey, key };
  const message = apiKey.test
    ? 'This key was made without a SECRETS_KEY, or under one that is not configured now.'
    : 'Live keys are shown once, when they are created. Create a new one and revoke this one.';
  throw new ApiError('validation_error', { message });
}

export async function renameKey(scope: Scope, id: string, name: string): Promise<ApiKey> {
  const apiKey = await getKey(scope, 'anyone', id);
  apiKey.name = name;
  await scope.em.flush();
  return apiKey;
}

/** Revokes a key, with effect at its next request in every process. Revoking it again changes nothing. */
export async function revokeKey(scope: Scope, id: string): Promise<ApiKey> {
  const apiKey = await getKey(scope, 'anyone', id);
  apiKey.revokedAt ??= scope.clock.now();
  await scope.em.flush();
  return apiKey;
}

/** Returns the hash by which a key is stored and looked up. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

async function checkNewKey(scope: Scope, input: NewApiKey): Promise<void> {
  const limit = input.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_REQUESTS_PER_MINUTE) {
    const message = `Requests per minute are a whole number from 1 to ${MAX_REQUESTS_PER_MINUTE}.`;
    throw new ApiError('validation_error', { param: 'requestsPerMinute', message });
  }
  if (input.locationId) {
    const location = await scope.em.findOne(Location, { id: input.locationId, practiceId: input.practiceId });
    if (location === null) throw new ApiError('not_found', { message: 'No such location in this practice.' });
  }
}

export function apiKeyView(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    practiceId: apiKey.practiceId,
    mode: modeName(apiKey),
    lastFour: apiKey.lastFour,
    scopes: apiKey.scopes,
    locationId: apiKey.locationId,
    requestsPerMinute: apiKey.requestsPerMinute,
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    revokedAt: apiKey.revokedAt?.toISOString() ?? null,
    lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
    createdAt: apiKey.createdAt.toISOString(),
  };
}

/** Returns an act on a key for the audit log. The view of a key has its last four characters, and not the key. */
export function keyAct(what: 'created' | 'renamed' | 'revoked' | 'viewed', apiKey: ApiKey): Act {
  return {
    practiceId: apiKey.practiceId,
    action: `key.${what}`,
    target: { kind: 'api_key', id: apiKey.id },
    after: { ...apiKeyView(apiKey), name: apiKey.name },
  };
}

function bindKey(id: string): string {
  return `api_keys:${id}`;
}

/** Test keys, which can be shown again. */
export const KEY_SECRETS: SecretColumn = {
  table: 'api_keys',
  column: 'ciphertext',
  key: ['id'],
  bindingOf: ([id = '']) => bindKey(id),
};
