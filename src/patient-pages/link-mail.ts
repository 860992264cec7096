import { statusAt } from '../payment-links/model/overdue.ts';
import { PaymentLink } from '../payment-links/model/payment-link.entity.ts';
import type { PatientMail } from '../payment-links/office/mail-queue.ts';
import { formatPhone } from '../platform/base/phone.ts';
import type { Scope } from '../platform/base/scope.ts';
import { getPractice } from '../practices/find.ts';
import { Location } from '../practices/location.entity.ts';
import type { Mailer } from '../practices/mail/mailer.ts';
import { descriptionInMail } from '../practices/mail/name-in-mail.ts';
import { senderOf, writeLetter } from './patient-letter.ts';
import { formatAmount, formatDay } from './texts/formats.ts';
import { TEXTS } from './texts/texts.ts';

/*
 * Mails of links to patients. They lie on servers of others, so they do not say the patient's name. They say what the payment is for
 * only if the practice wants it, because that may name a treatment.
 */

/**
 * Mails a link to the address that it has now. Sends nothing if the link is no longer active or has no address any more.
 *
 * @throws MailFailed; the next try has the same Message-ID
 */
export async function sendPatientMail(scope: Scope, mailer: Mailer, mail: PatientMail): Promise<void> {
  const link = await scope.em.findOne(PaymentLink, { id: mail.paymentLinkId });
  if (link === null || link.patientEmail === null || statusAt(link, scope.clock.now()) !== 'active') return;
  const { practiceId, description } = link;
  const practice = await getPractice(scope, practiceId);
  const location = await scope.em.findOneOrFail(Location, { id: link.locationId, practiceId });
  const sender = senderOf({ practice, location, phone: location.phone ?? practice.phone });
  const t = TEXTS[mail.language];
  const words = t.linkMail;
  const call = sender.phone === null ? sender.name : `${sender.name}, ${formatPhone(sender.phone)}`;
  const says = practice.mailsDescription && description !== null;
  const letter = writeLetter(
    {
      subject: words.subject(sender.name),
      sender,
      heading: words.asks(sender.name),
      warning: link.test ? words.test : null,
      rows: [
        { label: t.summary.amount, value: formatAmount(t, link.amountCents) },
        ...(says ? [{ label: t.fields.description, value: descriptionInMail(description) }] : []),
      ],
      button: { label: words.button, url: `${scope.publicUrl}/pay/${link.token}?lang=${mail.language}` },
      notes: [words.until(formatDay(t, link.expiresAt, location.timeZone)), words.unexpected(call)],
    },
    t,
  );
  await mailer.send({ ...letter, to: link.patientEmail, id: `${link.id}.patient.${mail.number}` });
}
