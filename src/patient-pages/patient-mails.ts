import type { LinkPage, PageService } from '../payment-links/checkout/port.ts';
import { findReceiptRequest, forgetReceiptAddress, type ReceiptMail } from '../payment-links/checkout/receipt.ts';
import { PaymentLink } from '../payment-links/model/payment-link.entity.ts';
import { statusAt } from '../payment-links/model/transitions.ts';
import type { PatientMail } from '../payment-links/office/mail-queue.ts';
import { formatPhone } from '../platform/base/phone.ts';
import type { Scope } from '../platform/base/scope.ts';
import { getPractice } from '../practices/find.ts';
import { Location } from '../practices/location.entity.ts';
import type { Mail, Mailer } from '../practices/mail/mailer.ts';
import { descriptionInMail, nameInMail } from '../practices/mail/name-in-mail.ts';
import type { Language } from '../web/language.ts';
import { type Sender, writeLetter } from './patient-letter.ts';
import { formatAmount, formatDay } from './texts/formats.ts';
import { TEXTS } from './texts/texts.ts';
import { formatLocation, makeDocument } from './view/document.ts';
import { offersReceipt } from './view/link-view.ts';

/*
 * Mails to patients lie on servers of others. So a link's mail does not name the patient. It says what the payment is for only
 * if the practice wants it, because that may name a treatment.
 */

/** Mails a link to its address, if it is active and still has one. @throws MailFailed; the next try has the same Message-ID */
export async function sendPatientMail(scope: Scope, mailer: Mailer, mail: PatientMail): Promise<void> {
  const link = await scope.em.findOne(PaymentLink, { id: mail.paymentLinkId });
  if (link === null || link.patientEmail === null || statusAt(link, scope.clock.now()) !== 'active') return;
  const { practiceId, description } = link;
  const practice = await getPractice(scope, practiceId);
  const location = await scope.em.findOneOrFail(Location, { id: link.locationId, practiceId });
  const sender = makeSender(practice, { location, phone: location.phone ?? practice.phone });
  const t = TEXTS[mail.language];
  const words = t.linkMail;
  const saysWhat = practice.mailsDescription && description !== null;
  const letter = writeLetter(
    {
      subject: words.subject(sender.name),
      sender,
      heading: words.asks(sender.name),
      warning: link.test ? words.test : null,
      rows: [
        { label: t.summary.amount, value: formatAmount(t, link.amountCents) },
        ...(saysWhat ? [{ label: t.fields.description, value: descriptionInMail(description) }] : []),
      ],
      button: { label: words.button, url: `${scope.publicUrl}/pay/${link.token}?lang=${mail.language}` },
      notes: [
        words.until(formatDay(t, link.expiresAt, location.timeZone)),
        words.unexpected(joinReach(sender.phone, sender.name)),
      ],
    },
    t,
  );
  await mailer.send({ ...letter, to: link.patientEmail, id: `${link.id}.patient.${mail.number}` });
}

/**
 * Sends the receipt that a patient asked for, or that staff send, as it is at present. Then the address is forgotten. Sends nothing if the
 * request is old, or if the payment was taken back by now.
 * @throws MailFailed; the next try has the same Message-ID
 */
export async function sendReceipt(scope: Scope, pages: PageService, mailer: Mailer, job: ReceiptMail): Promise<void> {
  const request = await findReceiptRequest(scope, job);
  if (request === null) return;
  const page = await pages.find(request.token);
  const mail = page === null ? null : writeReceipt(page, request.language, job.isComplete ? request.patient : null);
  if (mail !== null) await mailer.send({ ...mail, to: request.email, id: job.requestId });
  await forgetReceiptAddress(scope, job);
}

/**
 * Returns the mail without the page's address, which anyone may pay with. A mail that staff send names the patient, and has the texts of
 * the link. Nobody mails strangers by it, because only money that was taken has a receipt. Anyone may ask for the other mail on the page,
 * so it has none of these texts, which may name a treatment.
 */
function writeReceipt(linkPage: LinkPage, language: Language, patient: string | null): Omit<Mail, 'to' | 'id'> | null {
  const t = TEXTS[language];
  const page: LinkPage = {
    ...linkPage,
    practice: { ...linkPage.practice, name: nameInMail(linkPage.practice.name) },
    location: inMail(linkPage.location),
  };
  const document = makeDocument(page, t, patient);
  if (document === null || !offersReceipt(page)) return null;
  const sender = makeSender(page.practice, page);
  const letter = {
    subject: t.receiptMail.subject(sender.name),
    sender,
    heading: document.heading,
    warning: null,
    rows: document.rows.filter(({ isPrivate }) => patient !== null || !isPrivate),
    button: null,
    notes: [
      t.help.reference(page.linkId),
      t.receiptMail.questions(joinReach(sender.phone, sender.name, sender.locationLine)),
      patient === null ? t.receiptMail.why : t.receiptMail.whyByStaff,
    ],
  };
  return writeLetter(letter, t);
}

/** Returns practice and location of a mail. Names have no addresses, of which mail programs would make links. */
function makeSender(
  practice: Pick<LinkPage['practice'], 'name' | 'brandColor'>,
  { location, phone }: Pick<LinkPage, 'location' | 'phone'>,
): Sender {
  const locationLine = formatLocation({ location: inMail(location) });
  return { name: nameInMail(practice.name), locationLine, phone, color: practice.brandColor };
}

function inMail(location: LinkPage['location']): LinkPage['location'] {
  return { ...location, name: nameInMail(location.name), city: nameInMail(location.city) };
}

/** Returns whom to ask, in one line. */
function joinReach(phone: string | null, ...names: readonly string[]): string {
  return [...names, ...(phone === null ? [] : [formatPhone(phone)])].join(', ');
}
