import type { Scope } from '../../base/scope.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { OwnerMail } from '../../mail/owner-mails.ts';
import { Membership } from '../model/membership.entity.ts';
import { Person } from '../model/person.entity.ts';
import { inAllLanguages } from '../texts/texts.ts';

const PATHS: Readonly<Record<OwnerMail['kind'], string>> = { live_key: 'keys', live_endpoint: 'webhooks' };

/**
 * Sends a mail about a new way to live data to an owner, unless the person is no owner any more, or is locked. It names no practice and no
 * address of an endpoint, because people type these.
 *
 * @throws MailFailed
 */
export async function sendOwnerMail(scope: Scope, mailer: Mailer, mail: OwnerMail): Promise<void> {
  const { kind, practiceId, subjectId, personId, atMs } = mail;
  const owner = await scope.em.findOne(Membership, { practiceId, personId, role: 'owner', lockedAt: null });
  if (owner === null) return;
  const { email } = await scope.em.findOneOrFail(Person, { id: personId });
  const url = `${scope.consoleUrl}/console/${practiceId}/live/developers/${PATHS[kind]}/${subjectId}`;
  const { subject, text } = inAllLanguages(({ newAccess }) => ({
    subject: newAccess.subjects[kind],
    text: newAccess.text(kind, url),
  }));
  await mailer.send({ to: email, id: `${subjectId}.${personId}.${atMs}`, subject, text });
}
