import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';

/* All by which a person signs in. Who adds or uses one locks the person first, so nothing is added while a removal is under way. */

/** Locks a person, in the caller's transaction. Returns false if no practice admits the person. */
export async function lockPerson({ em }: Scope, personId: string): Promise<boolean> {
  await sql(em, 'select 1 from people where id = $1 for no key update', [personId]);
  // A separate statement, which sees what was committed while the lock was awaited.
  const text = 'select 1 from memberships where person_id = $1 and locked_at is null limit 1';
  return (await sql(em, text, [personId])).length > 0;
}

/** Ends all sessions, sign-in links, kept forms and devices of a locked person. Returns the practices for which the sessions were used. */
export async function endAllSessions({ em }: Scope, personId: string): Promise<string[]> {
  await sql(em, 'delete from sign_in_tokens where person_id = $1 and used_at is null', [personId]);
  const text = 'delete from console_sessions where person_id = $1 returning practice_ids as "practiceIds"';
  const ended = await sql<{ practiceIds: string[] }>(em, text, [personId]);
  await sql(em, 'delete from kept_forms where person_id = $1', [personId]);
  await sql(em, 'delete from console_devices where person_id = $1', [personId]);
  return [...new Set(ended.flatMap(({ practiceIds }) => practiceIds))];
}

/** Ends all by which a locked person signs in, so that the next person at this mail address starts with none of it. */
export async function endAccess(scope: Scope, personId: string): Promise<void> {
  const { em } = scope;
  await endAllSessions(scope, personId);
  await sql(em, 'delete from passkeys where person_id = $1', [personId]);
  await sql(em, 'delete from passkey_challenges where person_id = $1', [personId]);
  await sql(em, 'delete from sign_in_requests r using people p where p.id = $1 and r.email = p.email', [personId]);
}
