import { SETTLED_REASONS } from '../../../payment-links/model/payment-link.entity.ts';
import { CHANGE_FIELDS, expiryAfter, extensionDays, staffLinkChanges } from '../../../payment-links/office/input.ts';
import { endsBySettlement, hasReceipt, type StaffLink } from '../../../payment-links/office/link.ts';
import { countPatientMails, queuePatientMail } from '../../../payment-links/office/mail-queue.ts';
import {
  CANCEL_REASONS,
  changeLinkAsStaff,
  settleElsewhere,
  undoSettlement,
} from '../../../payment-links/office/staff-acts.ts';
import { normalizeEmail } from '../../../platform/base/email.ts';
import * as ui from '../../../web/blocks.ts';
import { CANCEL_REASON_TEXTS, SETTLED_TEXTS } from '../../render/labels.ts';
import { explainFaults, withRecord } from '../../routing/handlers.ts';
import { type MemberVisit, problem, type Reply, refuse, staffOf } from '../../routing/visit.ts';
import { pathWith } from '../filters.ts';
import { createFormats } from '../formats.ts';
import {
  dayOptions,
  explainRefusal,
  languageField,
  linkField,
  makeInput,
  readLanguage,
  refuseLink,
  typedInput,
} from './fields.ts';
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
const PREFIX = 'shown_';

const withChange = withRecord(findLinkOfPath, changePage, explainRefusal);
const withCancel = withRecord(findLinkOfPath, cancelPage, explainRefusal);
const withSend = withRecord(findLinkOfPath, sendPage);

export const showChange = withChange();
export const showCancel = withCancel();
export const showSend = withSend();

/**
 * Changes what the API lets change, and the person did change: others may have changed the rest since the form was opened. The name of
 * the patient stays, and so does the expiry unless the form names days.
 */
export const change = withChange(async (visit, staffLink) => {
  const { scope, fields, processor } = visit;
  const input = typedInput(visit);
  const shownInput = typedInput(visit, PREFIX);
  const changedFields = CHANGE_FIELDS.filter(
    (name) => !fields.has(`${PREFIX}${name}`) || input[name] !== shownInput[name],
  );
  const result = staffLinkChanges(input, changedFields);
  if ('faults' in result) return refuseLink(result.faults);
  const days = fields.get('days') ?? '';
  const expiresAt = expiryAfter(scope, days, extensionDays(scope, staffLink), staffLink.location.timeZone);
  if (days !== '' && expiresAt === null) return refuseLink([{ field: 'expiresAt', reason: 'invalid' }]);
  const changes = expiresAt === null ? result.input : { ...result.input, expiresAt };
  await changeLinkAsStaff(scope, staffOf(visit), processor, staffLink.link.id, { fields: changes });
  return linkRedirect(visit, 'saved');
});

/** Cancels a link. What no patient can pay any more is settled elsewhere instead. */
export const cancel = withCancel(async (visit, staffLink) => {
  const { scope, fields, processor } = visit;
  const { id } = staffLink.link;
  const name = fields.get('reason');
  const settledReason = endsBySettlement(staffLink) ? SETTLED_REASONS.find((reason) => reason === name) : undefined;
  const reason = CANCEL_REASONS.find((reason) => reason === name);
  if (reason === undefined) return refuse('Choose a reason.');
  if (settledReason === undefined) {
    await changeLinkAsStaff(scope, staffOf(visit), processor, id, { reason });
    return returnRedirect(visit) ?? linkRedirect(visit, 'cancelled');
  }
  const isSettled = await settleElsewhere(scope, staffOf(visit), id, settledReason);
  if (!isSettled) return refuse('Nothing is owed on this link.');
  return returnRedirect(visit) ?? linkRedirect(visit);
});

/** Leads back to the list from which the person came, with its filter; null without one. */
function returnRedirect(visit: MemberVisit): Reply | null {
  const [path, filter] = visit.query.get('to')?.split('?') ?? [];
  const page = visit.pagePath(path);
  const parameters = { ...Object.fromEntries(new URLSearchParams(filter)), done: 'saved' };
  return page === null ? null : { kind: 'redirect', to: pathWith(page, parameters) };
}

/** Leads to the link's page, which says what was done. */
function linkRedirect({ modePath, params }: MemberVisit, done = ''): Reply {
  return { kind: 'redirect', to: pathWith(modePath(`/links/${params.linkId}`), { done }) };
}

/** Queues a mail to the patient. The form carries the number of mails so far, so that sending it twice sends one mail. */
export const send = withSend(async (visit, staffLink) => {
  const { scope, fields, mailsPatients } = visit;
  if (!mailsPatients) return refuse(NO_SENDER);
  const address = fields.get('email');
  if (address !== undefined && !hasReceipt(staffLink)) return refuse(NO_RECEIPT);
  const receiptTo = address === undefined ? null : normalizeEmail(address);
  if (address !== undefined && receiptTo === null) return refuse('Enter an email address such as ada@example.com.');
  const sentCount = Number(fields.get('sent') ?? Number.NaN);
  const language = readLanguage(fields.get('language'));
  const outcome = await queuePatientMail(scope, staffOf(visit), staffLink.link.id, language, sentCount, receiptTo);
  if (outcome === 'unknown') return problem('not_found');
  return outcome === 'queued' || outcome === 'repeated' ? linkRedirect(visit, 'sent') : refuse(NOT_SENT[outcome]);
});

/** Lets the amount of a link count as owed again. */
export const undo = withCancel(async (visit, { link: { id } }) => {
  await undoSettlement(visit.scope, staffOf(visit), id);
  return linkRedirect(visit);
});

/** Shows the form of a change. A form that comes back keeps what was typed. */
async function changePage(visit: MemberVisit, staffLink: StaffLink, error?: string): Promise<Reply> {
  const presentInput = makeInput(staffLink);
  const isBack = visit.fields.size > 0;
  const [input, shownInput] = isBack ? [typedInput(visit), typedInput(visit, PREFIX)] : [presentInput, presentInput];
  const { link, location } = staffLink;
  const expiry = ui.field('days', 'The link works for', visit.fields.get('days'), {
    id: 'expiresAt',
    options: dayOptions(visit, extensionDays(visit.scope, staffLink), location.timeZone),
    all: `As before, until ${createFormats(location.timeZone).day(link.expiresAt)}`,
  });
  const hidden = Object.fromEntries(CHANGE_FIELDS.map((name) => [`${PREFIX}${name}`, shownInput[name]]));
  const fields = CHANGE_FIELDS.map((name) => linkField(visit, input, name));
  return linkForm(visit, staffLink, 'Change the link', explainFaults(visit, error), [
    ui.lead('The address stays the same. The patient’s name cannot be changed: cancel the link and create a new one.'),
    staffLink.status === 'under_way' && ui.text('A new amount cancels the payment under way.', { class: 'alert' }),
    ui.form(visit.modePath(`/links/${link.id}/change`), { button: 'Save', hidden }, [...fields, expiry]),
  ]);
}

async function cancelPage(visit: MemberVisit, staffLink: StaffLink, error?: string): Promise<Reply> {
  const isSettled = endsBySettlement(staffLink);
  const reasons = ui.field('reason', 'Reason', visit.fields.get('reason') ?? '', {
    options: Object.entries(isSettled ? SETTLED_TEXTS : CANCEL_REASON_TEXTS),
    all: '',
    required: true,
    isWrong: error !== undefined,
  });
  const [text, label] = isSettled
    ? ['The amount no longer counts as owed. You can take this back.', 'Yes, nothing is owed here']
    : ['The link is canceled: its address stops working at once. This cannot be undone.', 'Yes, cancel this link'];
  const to = visit.query.get('to') ?? '';
  // Owed has one name for the act, whether the link still waits or not.
  const title = isSettled || to !== '' ? 'Settled elsewhere' : 'Cancel the link';
  const path = pathWith(visit.modePath(`/links/${staffLink.link.id}/cancel`), { to });
  return linkForm(visit, staffLink, title, { error }, [
    ui.lead(text),
    ui.form(path, { button: title, label }, reasons),
  ]);
}

async function sendPage(visit: MemberVisit, staffLink: StaffLink, error?: string): Promise<Reply> {
  const { fields, mailsPatients } = visit;
  const { id, practiceId, patientEmail, status } = staffLink.link;
  const isReceipt = status === 'paid';
  const sentCount = await countPatientMails(visit.scope, practiceId, id, isReceipt ? 'receipt' : 'link');
  const hasForm = mailsPatients && (isReceipt ? hasReceipt(staffLink) : patientEmail !== null);
  const obstacle = isReceipt ? NO_RECEIPT : NOT_SENT.no_address;
  const reason = error ?? (hasForm ? undefined : obstacle);
  const reports = { error: mailsPatients ? reason : NO_SENDER, status: error === undefined ? 200 : 422 };
  const address = { type: 'email', required: true, maxlength: 254, ...ui.CODE, isWrong: error !== undefined };
  const about = isReceipt
    ? 'The email says the patient’s name, what the payment was for, amount, date and method.'
    : `The address of the link goes to ${patientEmail}. The email has the amount, and what it is for only if your practice chose that.`;
  return linkForm(visit, staffLink, isReceipt ? 'Send the receipt' : 'Send by email', reports, [
    hasForm &&
      ui.form(visit.modePath(`/links/${id}/send`), { button: 'Send the email', hidden: { sent: `${sentCount}` } }, [
        ui.text(ui.own(about)),
        isReceipt && ui.field('email', 'Email address', fields.get('email') ?? patientEmail, address),
        languageField(visit),
      ]),
    !isReceipt &&
      ui.text('Text messages are not available. Copy the address into your own messaging program.', { class: 'hint' }),
  ]);
}

/** Returns the page of a form. It begins with the link, so that nobody acts on another one by mistake. */
function linkForm(
  visit: MemberVisit,
  { link, location }: StaffLink,
  title: string,
  reports: Parameters<typeof ui.page>[1],
  blocks: readonly ui.Content[],
): Reply {
  const patient = ui.own(`${link.patientFirstName} ${link.patientLastName}`);
  const amount = ui.mark('strong', createFormats(location.timeZone).money(link.amountCents));
  const heading = ui.lead([ui.link(visit.modePath(`/links/${link.id}`), patient), ' · ', amount]);
  return ui.page(title, reports, [heading, ...blocks]);
}
