import type { LinkPage, PageService } from '../payment-links/checkout/port.ts';
import { findReceiptRequest, forgetReceiptAddress, type ReceiptMail } from '../payment-links/checkout/receipt.ts';
import type { Scope } from '../platform/base/scope.ts';
import type { Mail, Mailer } from '../practices/mail/mailer.ts';
import { nameInMail } from '../practices/mail/name-in-mail.ts';
import type { Language } from '../web/language.ts';
import { reachOf, senderOf, writeLetter } from './patient-letter.ts';
import { TEXTS } from './texts/texts.ts';
import { documentOf } from './view/document.ts';
import { offersReceipt } from './view/link-view.ts';

/**
 * Sends the receipt that a patient asked for, as it is at present. Then the address is forgotten. Sends nothing if the
 * request is old, or if the payment was taken back by now.
 *
 * @throws MailFailed; the next try has the same Message-ID
 */
export async function sendReceipt(scope: Scope, pages: PageService, mailer: Mailer, job: ReceiptMail): Promise<void> {
  const request = await findReceiptRequest(scope, job);
  if (request === null) return;
  const page = await pages.find(request.token);
  const mail = page === null ? null : mailOf(page, request.language);
  if (mail !== null) await mailer.send({ ...mail, to: request.email, id: job.requestId });
  await forgetReceiptAddress(scope, job);
}

/** The mail has neither the page's address, which anyone may pay with, nor texts of the link, which may name a treatment. */
function mailOf(found: LinkPage, language: Language): Omit<Mail, 'to' | 'id'> | null {
  const t = TEXTS[language];
  const { name, city } = found.location;
  const page: LinkPage = {
    ...found,
    practice: { ...found.practice, name: nameInMail(found.practice.name) },
    location: { ...found.location, name: nameInMail(name), city: nameInMail(city) },
  };
  const document = documentOf(page, t);
  if (document === null || !offersReceipt(page)) return null;
  const sender = senderOf(page);
  const letter = {
    subject: t.receiptMail.subject(sender.name),
    sender,
    heading: document.heading,
    warning: null,
    rows: document.rows.filter(({ isPrivate }) => !isPrivate),
    button: null,
    notes: [t.help.reference(page.linkId), t.receiptMail.questions(reachOf(sender)), t.receiptMail.why],
  };
  return writeLetter(letter, t);
}
