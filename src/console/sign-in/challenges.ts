import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { hashOf, randomToken } from './tokens.ts';

/** Time for which a challenge is accepted. */
const LIFETIME_MS = 5 * 60_000;

/**
 * Creates a challenge for a passkey, in base64url.
 *
 * @param personId the person who adds a passkey; null for a sign-in
 */
export async function createChallenge({ em, clock }: Scope, personId: string | null): Promise<string> {
  const challenge = randomToken();
  await sql(em, `insert into passkey_challenges (hash, person_id, expires_at) values ($1, $2, $3)`, [
    hashOf(challenge),
    personId,
    new Date(clock.now().getTime() + LIFETIME_MS),
  ]);
  return challenge;
}

/** Uses up a challenge. Returns false if it was used, has expired, or was made for another purpose or person. */
export async function consumeChallenge(
  { em, clock }: Scope,
  challenge: string,
  personId: string | null,
): Promise<boolean> {
  const used = await sql(
    em,
    `delete from passkey_challenges where hash = $1 and person_id is not distinct from $2 and expires_at > $3
     returning 1`,
    [hashOf(challenge), personId, clock.now()],
  );
  return used.length > 0;
}
