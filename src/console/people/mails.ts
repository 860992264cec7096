import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { listLiveKeysCreatedBy } from '../../keys/service.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { nameInMail } from '../../mail/name-in-mail.ts';
import type { OwnerMails } from '../../mail/owner-mails.ts';
import { getPractice } from '../../practices/find.ts';
import { Invitation } from '../model/invitation.entity.ts';
import { Membership } from '../model/membership.entity.ts';
import { Person } from '../model/person.entity.ts';
import { signInUrlOf } from '../sign-in/tokens.ts';
import { mails } from '../texts/mails.ts';
import { createInvitationToken } from './accept.ts';

export const INVITATION_MAIL_TASK = 'send_invitation_mail';

/** Queues the mail of an invitation, in the caller's transaction. The job has its id, without address and token. */
export async function queueInvitation({ em }: Scope, invitationId: string): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${INVITATION_MAIL_TASK}', json_build_object('invitationId', $1::text),
       ${MAIL_JOB}, max_attempts := $2::integer)`,
    [invitationId, MAIL_TRIES],
  );
}

/**
 * Sends the mail of an invitation, with the address at which the person accepts it. Sends nothing if it was accepted or
 * withdrawn, or has expired.
 *
 * @throws MailFailed
 */
export async function sendInvitation(
  scope: Scope,
  mailer: Mailer,
  { invitationId }: { invitationId: string },
): Promise<void> {
  const now = scope.clock.now();
  const invitation = await scope.em.findOne(Invitation, { id: invitationId, expiresAt: { $gt: now } });
  if (invitation === null) return;
  const { name } = await getPractice(scope, invitation.practiceId);
  const url = signInUrlOf(scope, await createInvitationToken(scope, invitation));
  const { subject, text } = mails.invitation;
  // Mails that are sent again have ids of their own. Tries of one mail have one.
  const id = `${invitationId}.invitation.${invitation.expiresAt.getTime()}`;
  await mailer.send({ to: invitation.email, id, subject, text: text({ practice: nameInMail(name), url }) });
}

/** Page of a mail's key or endpoint, below the live data of the developers. */
const PATHS: Readonly<Record<OwnerMails['kind'], (subjectId: string) => string>> = {
  live_key: (id) => `/keys/${id}`,
  live_endpoint: (id) => `/webhooks/${id}`,
  keys_left: () => '',
};

/** Name of the job that mails one owner of a practice. */
export const OWNER_MAIL_TASK = 'send_owner_mail';

/** The mail to one of the owners. */
type OwnerMail = OwnerMails & { personId: string };

/** Queues a mail to each owner of the practice who is not locked, each with tries of its own. */
export async function queueMailToEachOwner({ em }: Scope, mails: OwnerMails): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${OWNER_MAIL_TASK}', ($1::jsonb || jsonb_build_object('personId', person_id))::json,
       ${MAIL_JOB}, max_attempts := $2::integer)
     from memberships where practice_id = $3 and role = 'owner' and locked_at is null`,
    [JSON.stringify(mails), MAIL_TRIES, mails.practiceId],
  );
}

/**
 * Sends an owner a mail about ways to live data: a new key or endpoint, or the keys of a removed person that still work. Sends nothing if
 * the owner is none any more or is locked, or no such key is left. The mail names no practice, no key and no address of an endpoint,
 * because people type these.
 *
 * @throws MailFailed
 */
export async function sendOwnerMail(scope: Scope, mailer: Mailer, mail: OwnerMail): Promise<void> {
  const { kind, practiceId, subjectId, personId, atMs } = mail;
  const owner = await scope.em.findOne(Membership, { practiceId, personId, role: 'owner', lockedAt: null });
  if (owner === null) return;
  const keys = kind === 'keys_left' ? await listLiveKeysCreatedBy(scope, practiceId, subjectId) : [];
  if (kind === 'keys_left' && keys.length === 0) return;
  const lastFours = keys.map(({ lastFour }) => `…${lastFour}`).join(', ');
  const { email } = await scope.em.findOneOrFail(Person, { id: personId });
  const url = `${scope.consoleUrl}/console/${practiceId}/live/developers${PATHS[kind](subjectId)}`;
  const { subjects, text } = mails.newAccess;
  const id = `${subjectId}.${personId}.${atMs}`;
  await mailer.send({ to: email, id, subject: subjects[kind], text: text(kind, url, lastFours) });
}
