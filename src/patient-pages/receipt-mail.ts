import type { LinkPage, PageService } from '../payment-links/checkout/port.ts';
import { findReceiptRequest, forgetReceiptAddress, type ReceiptMail } from '../payment-links/checkout/receipt.ts';
import type { Scope } from '../platform/base/scope.ts';
import type { Mail, Mailer } from '../practices/mail/mailer.ts';
import { nameInMail } from '../practices/mail/name-in-mail.ts';
import type { Language } from '../web/language.ts';
import { reachOf, senderOf, writeLetter } from './patient-letter.ts';
import { TEXTS } from './texts/texts.ts';
import { makeDocument } from './view/document.ts';
import { offersReceipt } from './view/link-view.ts';

/**
 * Sends the receipt that a patient asked for, or that staff send, as it is at present. Then the address is forgotten. Sends nothing if the
 * request is old, or if the payment was taken back by now.
 *
 * @throws MailFailed; the next try has the same Message-ID
 */
export async function sendReceipt(scope: Scope, pages: PageService, mailer: Mailer, job: ReceiptMail): Promise<void> {
  const request = await findReceiptRequest(scope, job);
  if (request === null) return;
  const page = await pages.find(request.token);
  const mail = page === null ? null : writeMail(page, request.language, job.isComplete ? request.patient : null);
  if (mail !== null) await mailer.send({ ...mail, to: request.email, id: job.requestId });
  await forgetReceiptAddress(scope, job);
}

/**
 * Returns the mail without the page's address, which anyone may pay with. Anyone may ask for a receipt on the page, so that mail has no
 * texts of the link, which may name a treatment. One that staff send has all that the printed receipt has. Its texts stay as they are:
 * only money that was taken has a receipt, so nobody mails strangers by it.
 *
 * @param patient name of the patient, in a mail by staff; else null
 */
function writeMail(linkPage: LinkPage, language: Language, patient: string | null): Omit<Mail, 'to' | 'id'> | null {
  const t = TEXTS[language];
  const { name, city } = linkPage.location;
  const page: LinkPage = {
    ...linkPage,
    practice: { ...linkPage.practice, name: nameInMail(linkPage.practice.name) },
    location: { ...linkPage.location, name: nameInMail(name), city: nameInMail(city) },
  };
  const document = makeDocument(page, t, patient);
  if (document === null || !offersReceipt(page)) return null;
  const sender = senderOf(page);
  const letter = {
    subject: t.receiptMail.subject(sender.name),
    sender,
    heading: document.heading,
    warning: null,
    rows: document.rows.filter(({ isPrivate }) => patient !== null || !isPrivate),
    button: null,
    notes: [
      t.help.reference(page.linkId),
      t.receiptMail.questions(reachOf(sender)),
      patient === null ? t.receiptMail.why : t.receiptMail.whyByStaff,
    ],
  };
  return writeLetter(letter, t);
}
