import { createHash } from 'node:crypto';
import type { OperationId } from '../contract/operations-type.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { CallerScope, Scope } from '../platform/base/scope.ts';
import { decryptSecret, encryptSecret } from '../platform/base/secrets.ts';
import type { SecretColumn } from '../platform/database/query/rotate-secrets.ts';
import { sql } from '../platform/database/query/sql.ts';
import { inTransaction } from '../platform/database/query/transaction.ts';
import { bodyHash, REMEMBERED_MS } from './idempotency.ts';

/** A request with an idempotency key, which must run only once. Requests with the same hash are identical. */
interface KeyedRequest {
  operation: OperationId;
  idempotencyKey: string;
  hash: Buffer;
}

/** Returns a request with its idempotency key; null without one. `resourceId` is the id in the path, if there is one. */
export function keyedRequest(
  operation: OperationId,
  idempotencyKey: string | undefined,
  resourceId: string | null,
  body: object = {},
): KeyedRequest | null {
  if (idempotencyKey === undefined) return null;
  return { operation, idempotencyKey, hash: bodyHash({ resourceId, body }) };
}

/** The answer of a handler: the present reply, or the bytes of the stored one. */
type KeyedReply<Body> = { body: Body } | { rawBody: string; headers?: { 'Idempotency-Replayed': 'true' } };

/**
 * Does the work and returns its reply. With an idempotency key, the work is done once. Its changes and its reply are one
 * transaction, so a crash keeps both or neither. The reply is stored encrypted for 24 hours. Errors are not stored.
 *
 * @param prepare comes before the transaction, and not before a replay; such as a DNS lookup
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `webhooks_unavailable`, and what `work` and
 *   `prepare` throw
 */
export async function answerOnce<Body>(
  scope: CallerScope,
  request: KeyedRequest | null,
  work: (scope: CallerScope) => Promise<Body>,
  prepare?: () => Promise<void>,
): Promise<KeyedReply<Body>> {
  if (prepare !== undefined) {
    const stored = request === null ? null : await findStored(scope, request);
    if (request !== null && stored?.hash.equals(request.hash)) return openReply(scope, request, stored.ciphertext);
    await prepare();
  }
  if (request === null) return { body: await work(scope) };
  return inTransaction(scope, async (scope) => {
    // The lock lasts until the end of the transaction. With it, no other transaction can store a reply after this check.
    const hasLock = await tryLock(scope, request);
    const stored = await findStored(scope, request);
    if (stored !== null) {
      if (stored.hash.equals(request.hash)) return openReply(scope, request, stored.ciphertext);
      throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    }
    if (!hasLock) throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
    const rawBody = JSON.stringify(await work(scope));
    await store(scope, request, rawBody);
    return { rawBody };
  });
}

function openReply(scope: CallerScope, request: KeyedRequest, ciphertext: string) {
  const rawBody = decryptSecret(
    scope.keyring,
    bindReply(scope.caller.apiKeyId, request.operation, request.idempotencyKey),
    ciphertext,
  );
  if (rawBody === null) throw webhooksUnavailable();
  return { rawBody, headers: { 'Idempotency-Replayed': 'true' } as const };
}

/** Returns the error for a missing encryption key. An operator needs at least a minute to configure the key. */
export function webhooksUnavailable(): ApiError {
  return new ApiError('webhooks_unavailable', { retryAfterSeconds: 60 });
}

async function tryLock({ em, caller }: CallerScope, { operation, idempotencyKey }: KeyedRequest): Promise<boolean> {
  const lock = `select pg_try_advisory_xact_lock(hashtextextended($1 || ':' || $2 || ':' || $3, 0)) as locked`;
  const [row] = await sql<{ locked: boolean }>(em, lock, [caller.apiKeyId, operation, idempotencyKey]);
  return row?.locked === true;
}

async function findStored(
  { em, caller, clock }: CallerScope,
  { operation, idempotencyKey }: KeyedRequest,
): Promise<{ hash: Buffer; ciphertext: string } | null> {
  const rememberedSince = new Date(clock.now().getTime() - REMEMBERED_MS);
  const [row] = await sql<{ hash: Buffer; ciphertext: string }>(
    em,
    `select request_hash as hash, reply_ciphertext as ciphertext from sealed_replies
     where api_key_id = $1 and operation = $2 and idempotency_key = $3 and created_at > $4`,
    [caller.apiKeyId, operation, idempotencyKey, rememberedSince],
  );
  return row ?? null;
}

async function store(scope: CallerScope, request: KeyedRequest, reply: string): Promise<void> {
  const ciphertext = encryptSecret(
    scope.keyring,
    bindReply(scope.caller.apiKeyId, request.operation, request.idempotencyKey),
    reply,
  );
  if (ciphertext === null) throw webhooksUnavailable();
  await sql(
    scope.em,
    // A row with this key is expired: the caller holds the key's lock, and found no reply.
    `insert into sealed_replies
       (api_key_id, operation, idempotency_key, request_hash, reply_ciphertext, created_at, practice_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (api_key_id, operation, idempotency_key) do update set request_hash = excluded.request_hash,
       reply_ciphertext = excluded.reply_ciphertext, created_at = excluded.created_at`,
    [
      ...[scope.caller.apiKeyId, request.operation, request.idempotencyKey],
      ...[request.hash, ciphertext, scope.clock.now(), scope.caller.practiceId],
    ],
  );
}

/**
 * Replaces stored replies of some operations of a practice, in the caller's transaction. One that cannot be decrypted is
 * deleted, because nobody can say what it contains.
 *
 * @param change returns the text in place of a reply; null to keep it
 * @returns how many were replaced or deleted
 */
export async function replaceSealedReplies(
  { em, keyring }: Scope,
  practiceId: string,
  operations: readonly OperationId[],
  change: (reply: string) => string | null,
): Promise<number> {
  const stored = await sql<{ key: string; operation: string; idempotencyKey: string; ciphertext: string }>(
    em,
    `select api_key_id as key, operation, idempotency_key as "idempotencyKey", reply_ciphertext as ciphertext
     from sealed_replies where practice_id = $1 and operation = any ($2) for update`,
    [practiceId, operations],
  );
  let replaced = 0;
  for (const { key, operation, idempotencyKey, ciphertext } of stored) {
    const binding = bindReply(key, operation, idempotencyKey);
    const reply = decryptSecret(keyring, binding, ciphertext);
    const newReply = reply === null ? null : change(reply);
    if (reply !== null && newReply === null) continue;
    const sealed = newReply === null ? null : encryptSecret(keyring, binding, newReply);
    const where = 'where api_key_id = $1 and operation = $2 and idempotency_key = $3';
    const row = [key, operation, idempotencyKey];
    if (sealed === null) await sql(em, `delete from sealed_replies ${where}`, row);
    else await sql(em, `update sealed_replies set reply_ciphertext = $4 ${where}`, [...row, sealed]);
    replaced++;
  }
  return replaced;
}

/** Stored replies, for `paylinks secrets rotate`. */
export const REPLY_SECRETS: SecretColumn = {
  table: 'sealed_replies',
  column: 'reply_ciphertext',
  key: ['api_key_id', 'operation', 'idempotency_key'],
  bindingOf: ([apiKeyId = '', operation = '', idempotencyKey = '']) => bindReply(apiKeyId, operation, idempotencyKey),
};

/** Returns the binding of the ciphertext. The caller's text is hashed, so that bindings are unambiguous. */
function bindReply(apiKeyId: string, operation: string, idempotencyKey: string): string {
  const key = createHash('sha256').update(idempotencyKey).digest('hex');
  return `sealed_replies:${apiKeyId}:${operation}:${key}`;
}
