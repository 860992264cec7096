import { TEXTS as PAGE_TEXTS } from '../../../patient-pages/texts/texts.ts';
import { SETTLED_REASONS } from '../../../payment-links/model/payment-link.entity.ts';
import { CANCEL_REASONS, changeLinkAsStaff } from '../../../payment-links/office/create-and-change.ts';
import { CHANGE_FIELDS, expiryAfter, extensionDays, staffLinkChanges } from '../../../payment-links/office/input.ts';
import { endsBySettlement, hasReceipt, type StaffLink } from '../../../payment-links/office/link.ts';
import { countPatientMails, queuePatientMail } from '../../../payment-links/office/mail-queue.ts';
import { settleElsewhere, undoSettlement } from '../../../payment-links/office/resolution.ts';
import { normalizeEmail } from '../../../platform/base/email.ts';
import * as ui from '../../../web/blocks.ts';
import { LANGUAGES } from '../../../web/language.ts';
import { CANCEL_REASON_TEXTS, SETTLED_TEXTS } from '../../render/labels.ts';
import { withRecord } from '../../routing/handlers.ts';
import { type MemberVisit, problem, type Reply, refuse, staffOf } from '../../routing/visit.ts';
import { pathWith } from '../filters.ts';
import { formatsOf } from '../formats.ts';
import { dayOptions, explainRefusal, faultLinks, inputOfLink, linkField, typedInput } from './fields.ts';
import { findLinkOfPath } from './one-link.ts';

export const NO_SENDER = 'The operator of this service has not set up email. Copy the address instead.';

const NO_RECEIPT = 'There is no receipt: the payment has not settled, was returned, or is a test.';

export const NOT_SENT = {
  not_active: 'Not changed: the link is not active.',
  no_address: 'Add an email address with “Change”.',
  link_limit: 'This was emailed three times in the last 24 hours. Try again tomorrow.',
  practice_limit: 'Your practice has sent all emails that it may send in 24 hours. Try again tomorrow.',
};

/** Prefix of hidden fields with the values that the form of a change showed when it was opened. */
const SHOWN = 'shown_';

const withChange = withRecord(findLinkOfPath, changePage);
const withCancel = withRecord(findLinkOfPath, cancelPage);
const withSend = withRecord(findLinkOfPath, sendPage);

export const showChange = withChange();
export const showCancel = withCancel();
export const showSend = withSend();

/**
 * Changes what the API lets change, and the person did change: others may have changed the rest since the form was opened. The name of
 * the patient stays, and so does the expiry unless the form names days.
 */
export const change = withChange(async (visit, found) => {
  const { scope, fields, processor } = visit;
  const input = typedInput(visit);
  const shown = typedInput(visit, SHOWN);
  const changed = CHANGE_FIELDS.filter((name) => !fields.has(`${SHOWN}${name}`) || input[name] !== shown[name]);
  const checked = staffLinkChanges(input, changed);
  if ('faults' in checked) return refuse('', checked.faults);
  const days = fields.get('days') ?? '';
  const expiresAt = expiryAfter(scope, days, extensionDays(scope, found), found.location.timeZone);
  if (days !== '' && expiresAt === null) return refuse('', [{ field: 'expiresAt', reason: 'invalid' }]);
  const changes = expiresAt === null ? checked.input : { ...checked.input, expiresAt };
  const { id } = found.link;
  const change = changeLinkAsStaff(scope, staffOf(visit), processor, id, { fields: changes });
  const refusal = await change.then(() => null, explainRefusal);
  if (refusal !== null) return refusal;
  return { kind: 'redirect', to: visit.modePath(`/links/${id}?done=saved`) };
});

/** Cancels a link. What no patient can pay any more is settled elsewhere instead. */
export const cancel = withCancel(async (visit, found) => {
  const { scope, fields, processor } = visit;
  const { id } = found.link;
  const name = fields.get('reason');
  const settled = endsBySettlement(found) ? SETTLED_REASONS.find((reason) => reason === name) : undefined;
  if (settled !== undefined) {
    if (!(await settleElsewhere(scope, staffOf(visit), id, settled))) return refuse('Nothing is owed on this link.');
    return { kind: 'redirect', to: returnPath(visit) ?? visit.modePath(`/links/${id}`) };
  }
  const reason = CANCEL_REASONS.find((reason) => reason === name);
  if (reason === undefined) return refuse('Choose a reason.');
  const canceled = changeLinkAsStaff(scope, staffOf(visit), processor, id, { reason });
  const refusal = await canceled.then(() => null, explainRefusal);
  if (refusal !== null) return refusal;
  return { kind: 'redirect', to: returnPath(visit) ?? visit.modePath(`/links/${id}?done=cancelled`) };
});

/** Returns the list from which the person came, with its filter; null without one. */
function returnPath(visit: MemberVisit): string | null {
  const [path, filter] = visit.fields.get('to')?.split('?') ?? [];
  const page = visit.pagePath(path);
  return page && pathWith(page, { ...Object.fromEntries(new URLSearchParams(filter)), done: 'saved' });
}

/** Queues a mail to the patient. The form carries the number of mails so far, so that sending it twice sends one mail. */
export const send = withSend(async (visit, found) => {
  const { id } = found.link;
  const { scope, fields, mailsPatients } = visit;
  if (!mailsPatients) return refuse(NO_SENDER);
  const language = LANGUAGES.find((name) => name === fields.get('language')) ?? 'en';
  const typed = fields.get('email');
  if (typed !== undefined && !hasReceipt(found)) return refuse(NO_RECEIPT);
  const receiptTo = typed === undefined ? null : normalizeEmail(typed);
  if (typed !== undefined && receiptTo === null) return refuse('Enter an email address such as ada@example.com.');
  const sent = Number(fields.get('sent') ?? Number.NaN);
  const outcome = await queuePatientMail(scope, staffOf(visit), id, language, sent, receiptTo);
  if (outcome === 'unknown') return problem('not_found');
  if (outcome === 'queued' || outcome === 'repeated') {
    return { kind: 'redirect', to: visit.modePath(`/links/${id}?done=sent`) };
  }
  return refuse(NOT_SENT[outcome]);
});

/** Lets the amount of a link count as owed again. */
export const undo = withCancel(async (visit, { link: { id } }) => {
  await undoSettlement(visit.scope, staffOf(visit), id);
  return { kind: 'redirect', to: visit.modePath(`/links/${id}`) };
});

/** Shows the form of a change. A form that comes back keeps what was typed. */
async function changePage(visit: MemberVisit, found: StaffLink, error?: string): Promise<Reply> {
  const present = inputOfLink(found);
  const isBack = visit.fields.size > 0;
  const [input, shown] = isBack ? [typedInput(visit), typedInput(visit, SHOWN)] : [present, present];
  const fields = CHANGE_FIELDS.map((name) => linkField(visit, input, name));
  const hidden = Object.fromEntries(CHANGE_FIELDS.map((name) => [`${SHOWN}${name}`, shown[name]]));
  const { link, location } = found;
  const expiry = ui.field('days', 'The link works for', visit.fields.get('days'), {
    id: 'expiresAt',
    options: dayOptions(visit, extensionDays(visit.scope, found), location.timeZone),
    all: `As before, until ${formatsOf(location.timeZone).day(link.expiresAt)}`,
  });
  return ui.page('Change the link', { error, faults: faultLinks(visit) }, [
    linkHeading(visit, found),
    ui.lead('The address stays the same. The patient’s name cannot be changed: cancel the link and create a new one.'),
    found.status === 'under_way' && ui.text('A new amount cancels the payment under way.', { class: 'alert' }),
    ui.form(visit.modePath(`/links/${link.id}/change`), { button: 'Save', hidden }, [...fields, expiry]),
  ]);
}

async function cancelPage(visit: MemberVisit, found: StaffLink, error?: string): Promise<Reply> {
  const isSettled = endsBySettlement(found);
  const reasons = ui.field('reason', 'Reason', visit.fields.get('reason') ?? '', {
    options: Object.entries(isSettled ? SETTLED_TEXTS : CANCEL_REASON_TEXTS),
    all: '',
    required: true,
    isWrong: error !== undefined,
  });
  const to = visit.query.get('to') ?? visit.fields.get('to') ?? '';
  const [text, label] = isSettled
    ? ['The amount no longer counts as owed. You can take this back.', 'Yes, nothing is owed here']
    : ['The link is canceled: its address stops working at once. This cannot be undone.', 'Yes, cancel this link'];
  // Owed has one name for the act, whether the link still waits or not.
  const title = isSettled || to !== '' ? 'Settled elsewhere' : 'Cancel the link';
  return ui.page(title, { error }, [
    linkHeading(visit, found),
    ui.lead(text),
    ui.form(visit.modePath(`/links/${found.link.id}/cancel`), { button: title, label, hidden: { to } }, reasons),
  ]);
}

async function sendPage(visit: MemberVisit, found: StaffLink, error?: string): Promise<Reply> {
  const { id, practiceId, patientEmail: email, status } = found.link;
  const isReceipt = status === 'paid';
  const languages = LANGUAGES.map((code): ui.Option => [code, PAGE_TEXTS[code].language.name]);
  const sent = await countPatientMails(visit.scope, practiceId, id, isReceipt ? 'receipt' : 'link');
  const hasForm = visit.mailsPatients && (isReceipt ? hasReceipt(found) : email !== null);
  const reason = error ?? (hasForm ? undefined : isReceipt ? NO_RECEIPT : NOT_SENT.no_address);
  const shown = { error: visit.mailsPatients ? reason : NO_SENDER, status: error === undefined ? 200 : 422 };
  const address = { type: 'email', required: true, maxlength: 254, ...ui.CODE, isWrong: error !== undefined };
  return ui.page(isReceipt ? 'Send the receipt' : 'Send by email', shown, [
    linkHeading(visit, found),
    hasForm &&
      ui.form(visit.modePath(`/links/${id}/send`), { button: 'Send the email', hidden: { sent: `${sent}` } }, [
        isReceipt
          ? [
              ui.text('The email says the patient’s name, what the payment was for, amount, date and method.'),
              ui.field('email', 'Email address', visit.fields.get('email') ?? email, address),
            ]
          : ui.text(
              ui.own(
                `The address of the link goes to ${email}. The email has the amount, and what it is for only if your practice chose that.`,
              ),
            ),
        ui.field('language', 'Language of the email', visit.fields.get('language') ?? 'en', { options: languages }),
      ]),
    !isReceipt &&
      ui.text('Text messages are not available. Copy the address into your own messaging program.', { class: 'hint' }),
  ]);
}

/** Returns a line about the link, so that nobody acts on another link by mistake. */
function linkHeading(visit: MemberVisit, { link, location }: StaffLink): ui.Block {
  const patient = ui.own(`${link.patientFirstName} ${link.patientLastName}`);
  const amount = ui.mark('strong', formatsOf(location.timeZone).money(link.amountCents));
  return ui.lead([ui.link(visit.modePath(`/links/${link.id}`), patient), ' · ', amount]);
}
