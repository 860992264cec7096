import { createHash } from 'node:crypto';
import type { OperationId } from '../contract/operations-type.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { CallerScope, Scope } from '../platform/base/scope.ts';
import { decryptSecret, encryptSecret } from '../platform/base/secrets.ts';
import { deleteFirst } from '../platform/database/query/delete-first.ts';
import type { SecretColumn } from '../platform/database/query/rotate-secrets.ts';
import { sql } from '../platform/database/query/sql.ts';
import { inTransaction } from '../platform/database/query/transaction.ts';

/** Time for which a reply is stored: 24 hours. */
export const REMEMBERED_MS = 86_400_000;

/** A request with an idempotency key, which must run only once. Requests with the same hash are identical. */
interface KeyedRequest {
  operation: OperationId;
  idempotencyKey: string;
  hash: Buffer;
}

/** Primary key of a stored reply: API key, operation and idempotency key. */
type ReplyKey = readonly string[];

const HAS_KEY = 'api_key_id = $1 and operation = $2 and idempotency_key = $3';

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

/** Returns the SHA-256 of a JSON value. The order of keys and white space do not matter. */
export function bodyHash(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body)).digest();
}

/** Returns JSON with its names in order, so that texts of the same values are equal. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The answer of a handler: the present reply, or the bytes of the stored one. */
type KeyedReply<Body> = { body: Body } | { rawBody: string; headers?: { 'Idempotency-Replayed': 'true' } };

/**
 * Does the work and returns its reply. With an idempotency key, the work is done once. Its changes and its reply are one
 * transaction, so a crash keeps both or neither. The reply is stored encrypted for 24 hours. Errors are not stored.
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
  if (request === null) {
    await prepare?.();
    return { body: await work(scope) };
  }
  const key = [scope.caller.apiKeyId, request.operation, request.idempotencyKey];
  if (prepare !== undefined) {
    const storedReply = await findStoredReply(scope, key);
    if (storedReply?.hash.equals(request.hash)) return openReply(scope, key, storedReply.ciphertext);
    await prepare();
  }
  return inTransaction(scope, async (scope) => {
    // The lock lasts until the end of the transaction. With it, no other transaction can store a reply after this check.
    const hasLock = await tryLock(scope, key);
    const storedReply = await findStoredReply(scope, key);
    if (storedReply !== null) {
      if (storedReply.hash.equals(request.hash)) return openReply(scope, key, storedReply.ciphertext);
      throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    }
    if (!hasLock) throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
    const rawBody = JSON.stringify(await work(scope));
    await store(scope, key, request.hash, rawBody);
    return { rawBody };
  });
}

function openReply(scope: CallerScope, key: ReplyKey, ciphertext: string) {
  const rawBody = decryptSecret(scope.keyring, bindReply(key), ciphertext);
  if (rawBody === null) throw webhooksUnavailable();
  return { rawBody, headers: { 'Idempotency-Replayed': 'true' } as const };
}

/** Returns the error for a missing encryption key. An operator needs at least a minute to configure the key. */
export function webhooksUnavailable(): ApiError {
  return new ApiError('webhooks_unavailable', { retryAfterSeconds: 60 });
}

async function tryLock({ em }: CallerScope, key: ReplyKey): Promise<boolean> {
  const lock = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked';
  const [row] = await sql<{ locked: boolean }>(em, lock, [key.join(':')]);
  return row?.locked === true;
}

async function findStoredReply({ em, clock }: CallerScope, key: ReplyKey) {
  const rememberedSince = new Date(clock.now().getTime() - REMEMBERED_MS);
  const [row] = await sql<{ hash: Buffer; ciphertext: string }>(
    em,
    `select request_hash as hash, reply_ciphertext as ciphertext from sealed_replies
     where ${HAS_KEY} and created_at > $4`,
    [...key, rememberedSince],
  );
  return row ?? null;
}

async function store(scope: CallerScope, key: ReplyKey, hash: Buffer, reply: string): Promise<void> {
  const ciphertext = encryptSecret(scope.keyring, bindReply(key), reply);
  if (ciphertext === null) throw webhooksUnavailable();
  await sql(
    scope.em,
    // A row with this key is expired: the caller holds the key's lock, and found no reply.
    `insert into sealed_replies
       (api_key_id, operation, idempotency_key, request_hash, reply_ciphertext, created_at, practice_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (api_key_id, operation, idempotency_key) do update set request_hash = excluded.request_hash,
       reply_ciphertext = excluded.reply_ciphertext, created_at = excluded.created_at`,
    [...key, hash, ciphertext, scope.clock.now(), scope.caller.practiceId],
  );
}

/**
 * Replaces stored replies of some operations of a practice, in the caller's transaction. One that cannot be decrypted is
 * deleted, because nobody can say what it contains.
 * @param change returns the text in place of a reply; null to keep it
 * @returns how many were replaced or deleted
 */
export async function replaceSealedReplies(
  { em, keyring }: Scope,
  practiceId: string,
  operations: readonly OperationId[],
  change: (reply: string) => string | null,
): Promise<number> {
  const rows = await sql<{ key: string[]; ciphertext: string }>(
    em,
    `select array[api_key_id, operation, idempotency_key] as key, reply_ciphertext as ciphertext
     from sealed_replies where practice_id = $1 and operation = any ($2) for update`,
    [practiceId, operations],
  );
  let replaced = 0;
  for (const { key, ciphertext } of rows) {
    const reply = decryptSecret(keyring, bindReply(key), ciphertext);
    const newReply = reply === null ? null : change(reply);
    if (reply !== null && newReply === null) continue;
    const newCiphertext = newReply === null ? null : encryptSecret(keyring, bindReply(key), newReply);
    if (newCiphertext === null) await sql(em, `delete from sealed_replies where ${HAS_KEY}`, key);
    else await sql(em, `update sealed_replies set reply_ciphertext = $4 where ${HAS_KEY}`, [...key, newCiphertext]);
    replaced++;
  }
  return replaced;
}

/** Deletes encrypted replies that are older than 24 hours, and so never replayed again. @returns true if there may be more */
export function purgeSealedReplies(scope: Scope): Promise<boolean> {
  const before = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  return deleteFirst(scope, 'sealed_replies', 'created_at <= $1 order by created_at', [before]);
}

export const REPLY_SECRETS: SecretColumn = {
  table: 'sealed_replies',
  column: 'reply_ciphertext',
  key: ['api_key_id', 'operation', 'idempotency_key'],
  bindingOf: bindReply,
};

/** Returns the binding of the ciphertext. The caller's text is hashed, so that bindings are unambiguous. */
function bindReply([apiKeyId, operation, idempotencyKey = '']: ReplyKey): string {
  const hash = createHash('sha256').update(idempotencyKey).digest('hex');
  return `sealed_replies:${apiKeyId}:${operation}:${hash}`;
}
