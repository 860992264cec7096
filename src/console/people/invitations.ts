import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { LANGUAGES } from '../../pages/texts/language.ts';
import { getPractice } from '../../practices/find.ts';
import { Membership } from '../model/membership.entity.ts';
import { Person } from '../model/person.entity.ts';
import { createSignInUrl } from '../sign-in/tokens.ts';
import { TEXTS } from '../texts/texts.ts';

/** Name of the job that sends the mail of an invitation. */
export const INVITATION_MAIL_TASK = 'send_invitation_mail';

/** Payload of the job: an id, without address and token. */
export interface InvitationMail {
  membershipId: string;
}

/** Queues the mail of an invitation, in the caller's transaction. */
export async function queueInvitation({ em }: Scope, membershipId: string): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${INVITATION_MAIL_TASK}', json_build_object('membershipId', $1::text),
       ${MAIL_JOB}, max_attempts := $2::integer)`,
    [membershipId, MAIL_TRIES],
  );
}

/** Returns true if a job's payload names an invitation. The queue accepts any payload. */
export function isInvitationMail(payload: unknown): payload is InvitationMail {
  return typeof payload === 'object' && payload !== null && 'membershipId' in payload;
}

/**
 * Sends the mail of an invitation, with an address that signs the person in. Sends nothing if the membership was removed.
 *
 * @throws MailFailed
 */
export async function sendInvitation(scope: Scope, mailer: Mailer, { membershipId }: InvitationMail): Promise<void> {
  const membership = await scope.em.findOne(Membership, { id: membershipId });
  if (membership === null) return;
  const { email } = await scope.em.findOneOrFail(Person, { id: membership.personId });
  const { name } = await getPractice(scope, membership.practiceId);
  const url = await createSignInUrl(scope, membership.personId);
  // Nobody knows yet which language the person reads, so the mail has all.
  const mails = LANGUAGES.map((language) => TEXTS[language].mails.invitation);
  const values = { practice: name, url, signIn: `${scope.consoleUrl}/console/sign-in` };
  await mailer.send({
    to: email,
    id: `${membershipId}.invitation`,
    subject: mails.map(({ subject }) => subject).join(' / '),
    text: mails.map(({ text }) => text(values)).join('\n* * *\n\n'),
  });
}
