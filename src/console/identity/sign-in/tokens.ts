import { createHash } from 'node:crypto';
import { randomText } from '../../../platform/base/random-text.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';

/* Sign-in tokens. Only their hashes are stored. A token is made when its mail is sent, so no job and no row contains it. */

export const TOKEN_LIFETIME_MS = 15 * 60_000;

/** 256 bits: nobody guesses them, and a fast hash protects them. */
const TOKEN_LENGTH = 43;

/** Form of a token. Tokens of 2.0.0 have hyphens and underscores, too. */
export const TOKEN_PATTERN = /^[\w-]{43}$/;

/** Selects the person of a token that still works. A person whom no practice admits cannot sign in. */
const WORKING = `hash = $1 and used_at is null and expires_at > $2
  and exists (select from memberships m where m.person_id = t.person_id and m.locked_at is null)`;

export function randomToken(): string {
  return randomText(TOKEN_LENGTH);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

interface TokenOptions {
  lifetimeMs?: number;
  /** Hash of the known device that asked for the mail; null for any other browser. */
  device?: Buffer | null;
  /** The request whose mail counts towards the limits of mails; null for none. */
  requestId?: string | null;
}

/** Creates a token, which signs the person in once. */
export async function createToken(
  { em, clock }: Scope,
  personId: string,
  { lifetimeMs = TOKEN_LIFETIME_MS, device = null, requestId = null }: TokenOptions = {},
): Promise<string> {
  const token = randomToken();
  const now = clock.now();
  const text = `insert into sign_in_tokens (hash, person_id, expires_at, created_at, device_hash, request_id)
     values ($1, $2, $3, $4, $5, $6)`;
  await sql(em, text, [hashToken(token), personId, new Date(now.getTime() + lifetimeMs), now, device, requestId]);
  return token;
}

/** Takes back that the mail of a request counts towards the limits of mails, because it could not be handed over. */
export async function uncountMail({ em }: Scope, token: string): Promise<void> {
  await sql(em, 'update sign_in_tokens set request_id = null where hash = $1', [hashToken(token)]);
}

/** Returns the address of a token. Anyone with the address is signed in. */
export function makeSignInUrl({ consoleUrl }: Scope, token: string): string {
  return `${consoleUrl}/console/sign-in/${token}`;
}

export async function createSignInUrl(scope: Scope, personId: string, options?: TokenOptions): Promise<string> {
  return makeSignInUrl(scope, await createToken(scope, personId, options));
}

/** Returns the person whom a working token signs in, without using it; null for any other token. */
export async function findTokenPerson({ em, clock }: Scope, token: string) {
  const text = `select p.id as "personId", p.email from sign_in_tokens t join people p on p.id = t.person_id where ${WORKING}`;
  const [row] = await sql<Record<'personId' | 'email', string>>(em, text, [hashToken(token), clock.now()]);
  return row ?? null;
}

/** Uses a token. Of several requests with one token, only the first gets the person; the others get null. */
export async function consumeToken({ em, clock }: Scope, token: string): Promise<string | null> {
  const text = `update sign_in_tokens t set used_at = $2 where ${WORKING} returning person_id as "personId"`;
  const [row] = await sql<{ personId: string }>(em, text, [hashToken(token), clock.now()]);
  return row?.personId ?? null;
}
