import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { letter } from '../../../practices/mail/letter.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../../practices/mail/mail-queue.ts';
import type { Mailer } from '../../../practices/mail/mailer.ts';

/** `account` is the address of the page on which the person removes passkeys. */
const toPerson = (email: string, account: string) =>
  letter(
    `A passkey was added to your account ${email}. It signs in to the Paylinks console without an email.`,
    'If you did not add it, remove it in your account and sign out everywhere:',
    account,
  );

const toOwner = (email: string) =>
  letter(
    `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without an email.`,
    'If you did not expect it, ask this person. You can lock the person on the page “People” of the console.',
  );

export const PASSKEY_MAIL_TASK = 'send_passkey_mail';

/** Queues mails about a new passkey to its person, and to the owners of all their practices, in the caller's transaction. */
export async function queuePasskeyMails({ em }: Scope, passkeyId: string, personId: string): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${PASSKEY_MAIL_TASK}', json_build_object('passkeyId', $1::text, 'personId', $2::text,
       'recipientId', r.id), ${MAIL_JOB}, max_attempts := $3::integer)
     from (select $2::text as id union select o.person_id from memberships m
       join memberships o on o.practice_id = m.practice_id and o.role = 'owner' and o.locked_at is null where m.person_id = $2) r`,
    [passkeyId, personId, MAIL_TRIES],
  );
}

/**
 * Sends a mail about a new passkey, also if it was removed again. Sends nothing to an owner who lost that role. The mail has no
 * name of the passkey, because people type it.
 *
 * @throws MailFailed
 */
export async function sendPasskeyMail(
  scope: Scope,
  mailer: Mailer,
  { passkeyId, personId, recipientId }: Record<'passkeyId' | 'personId' | 'recipientId', string>,
): Promise<void> {
  const [found] = await sql<{ email: string; recipient: string }>(
    scope.em,
    `select p.email, r.email as recipient from people p, people r where p.id = $1 and r.id = $2
       and exists (select from memberships m join memberships o on o.practice_id = m.practice_id and o.locked_at is null
         where m.person_id = p.id and o.person_id = r.id and (o.role = 'owner' or r.id = p.id))`,
    [personId, recipientId],
  );
  if (found === undefined) return;
  const account = `${scope.consoleUrl}/console/account`;
  const text = personId === recipientId ? toPerson(found.email, account) : toOwner(found.email);
  await mailer.send({
    to: found.recipient,
    id: `${passkeyId}.${recipientId}`,
    subject: 'A new passkey for the Paylinks console',
    text,
  });
}
