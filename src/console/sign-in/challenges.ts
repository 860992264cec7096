import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { hashOf, randomToken } from './tokens.ts';

const LIFETIME_MS = 5 * 60_000;

/** Ids of credentials have at most 1023 bytes. */
const BASE64URL = /^[\w-]{1,1364}$/;

/** Creates a challenge for a person who adds a passkey, or with null for a sign-in. It is in base64url. */
export async function createChallenge({ em, clock }: Scope, personId: string | null): Promise<string> {
  const challenge = randomToken();
  await sql(em, `insert into passkey_challenges (hash, person_id, expires_at) values ($1, $2, $3)`, [
    hashOf(challenge),
    personId,
    new Date(clock.now().getTime() + LIFETIME_MS),
  ]);
  return challenge;
}

export interface PasskeyAnswer<Response> {
  response: Response;
  challenge: string;
}

/**
 * Reads the answer of a browser, and uses up its challenge. Returns null for any other text, and if the challenge was used, has
 * expired, or was made for another purpose or person.
 */
export async function takeAnswer<Response extends RegistrationResponseJSON | AuthenticationResponseJSON>(
  { em, clock }: Scope,
  text: string,
  personId: string | null,
): Promise<PasskeyAnswer<Response> | null> {
  const answer = readJson(text);
  const data = readJson(Buffer.from(`${Object(answer?.response).clientDataJSON}`, 'base64url').toString());
  const challenge = data?.challenge;
  if (typeof answer?.id !== 'string' || !BASE64URL.test(answer.id) || typeof challenge !== 'string') return null;
  const used = await sql(
    em,
    `delete from passkey_challenges where hash = $1 and person_id is not distinct from $2 and expires_at > $3
     returning 1`,
    [hashOf(challenge), personId, clock.now()],
  );
  // The library checks every other field before it uses it.
  return used.length === 0 ? null : { response: answer as unknown as Response, challenge };
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(text));
  } catch {
    return null;
  }
}
