import { listLiveKeysCreatedBy } from '../../../access/service.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { getPractice } from '../../../practices/find.ts';
import { letter } from '../../../practices/mail/letter.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../../practices/mail/mail-queue.ts';
import type { Mailer } from '../../../practices/mail/mailer.ts';
import { nameInMail } from '../../../practices/mail/name-in-mail.ts';
import type { OwnerMails } from '../../../practices/mail/owner-mails.ts';
import { Invitation } from '../../model/invitation.entity.ts';
import { makeSignInUrl } from '../sign-in/tokens.ts';
import { createInvitationToken } from './accept.ts';
import { listMembers } from './members.ts';

/** The name of the practice is what the practice typed, without addresses (`nameInMail`). */
const invitationText = (practice: string, url: string) =>
  letter(
    'A practice invites you to its Paylinks console. The practice calls itself:',
    `“${practice}”`,
    'Open this address to accept:',
    url,
    'It works once, for 7 days. Do not share it.\n' +
      'If you do not know the practice, ignore this email: nothing happens unless you accept.',
  );

const SUBJECTS = {
  live_key: 'A new live API key of your practice',
  live_endpoint: 'A new live webhook endpoint of your practice',
  keys_left: 'Live API keys of a person who was removed',
} satisfies Record<OwnerMails['kind'], string>;

const newAccessText = (kind: OwnerMails['kind'], url: string, lastFours: string) =>
  letter(
    {
      live_key: 'A live API key of your practice was created. It can read names and contact details of patients.',
      live_endpoint:
        'A live webhook endpoint of your practice was added, or has a new address. It gets names and contact details of patients.',
      keys_left: `A person was removed from your practice who knows live API keys that still work. They end in: ${lastFours}`,
    }[kind],
    'The audit log of the console says who it was. If your practice does not want it, revoke or delete it here:',
    url,
  );

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

/** Sends the mail of an invitation, unless it was accepted or withdrawn, or has expired. @throws MailFailed */
export async function sendInvitation(scope: Scope, mailer: Mailer, job: { invitationId: string }): Promise<void> {
  const { invitationId } = job;
  const now = scope.clock.now();
  const invitation = await scope.em.findOne(Invitation, { id: invitationId, expiresAt: { $gt: now } });
  if (invitation === null) return;
  const { name } = await getPractice(scope, invitation.practiceId);
  const url = makeSignInUrl(scope, await createInvitationToken(scope, invitation));
  const text = invitationText(nameInMail(name), url);
  // A mail that is sent again has another id. All tries of one mail have one id.
  const id = `${invitationId}.invitation.${invitation.expiresAt.getTime()}`;
  await mailer.send({ to: invitation.email, id, subject: 'You are invited to the Paylinks console', text });
}

export const OWNER_MAIL_TASK = 'send_owner_mail';

type OwnerMail = OwnerMails & { personId: string };

/** Queues a mail to each owner of the practice who is not locked, each tried separately. */
export async function queueMailToEachOwner({ em }: Scope, mails: OwnerMails): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${OWNER_MAIL_TASK}', ($1::jsonb || jsonb_build_object('personId', person_id))::json,
       ${MAIL_JOB}, max_attempts := $2::integer)
     from memberships where practice_id = $3 and role = 'owner' and locked_at is null`,
    [JSON.stringify(mails), MAIL_TRIES, mails.practiceId],
  );
}

/** Sends an owner, unless a former one, a mail about a way to live data. It names nothing that people type. @throws MailFailed */
export async function sendOwnerMail(scope: Scope, mailer: Mailer, mail: OwnerMail): Promise<void> {
  const { kind, practiceId, subjectId, personId, atMs } = mail;
  const owner = (await listMembers(scope, practiceId)).find((member) => member.personId === personId);
  if (owner?.role !== 'owner' || owner.lockedAt !== null) return;
  const keys = kind === 'keys_left' ? await listLiveKeysCreatedBy(scope, practiceId, subjectId) : [];
  if (kind === 'keys_left' && keys.length === 0) return;
  const lastFours = keys.map(({ lastFour }) => `…${lastFour}`).join(', ');
  const pages = { live_key: `/keys/${subjectId}`, live_endpoint: `/webhooks/${subjectId}`, keys_left: '' };
  const url = `${scope.consoleUrl}/console/${practiceId}/live/developers${pages[kind]}`;
  const id = `${subjectId}.${personId}.${atMs}`;
  await mailer.send({ to: owner.email, id, subject: SUBJECTS[kind], text: newAccessText(kind, url, lastFours) });
}

/** Returns the locations of people who are limited to some, by their mail addresses. A locked person sees none. */
export async function readLocationLimits(scope: Scope, practiceId: string) {
  const limits = new Map<string, readonly string[]>();
  for (const { email, lockedAt, locationIds } of await listMembers(scope, practiceId)) {
    const seenIds = lockedAt === null ? locationIds : [];
    if (seenIds !== null) limits.set(email, seenIds);
  }
  return limits;
}
