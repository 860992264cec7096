import { listActsOn } from '../../../audit/list.ts';
import { nextMinute } from '../../../pages/texts/formats.ts';
import { type LinkHistory, timelineOf } from '../../../payment-links/billing/timeline.ts';
import { throttledUntil } from '../../../payment-links/payment/payable.ts';
import { findStaffLink, readRecords, type StaffLink } from '../../../payment-links/staff/link.ts';
import { type Replacement, readReplacement } from '../../../payment-links/staff/resolution.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { SETTLED_TEXTS } from '../../render/labels.ts';
import { qrPicture } from '../../render/qr-code.ts';
import { withRecord } from '../../routing/handlers.ts';
import { doneText, type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { type Formats, formatsOf } from '../formats.ts';
import { timelineBlock } from '../timeline.ts';
import { factsOfLink, isPayable } from './fields.ts';
import { statusMark } from './list.ts';
import { slipPage } from './slip.ts';

const DONE = {
  created: 'The link is ready for the patient.',
  cancelled: 'The link is canceled.',
  sent: 'The email is on its way.',
};

const SOURCES = {
  api: 'Software of the practice',
  staff: 'Staff',
  website: 'Website',
};

const COPY = {
  copy: 'Copy the address',
  copied: 'Copied.',
  notCopied: 'Press Ctrl+C or ⌘C to copy the address.',
};

const IN_DOUBT = 'We do not know yet whether a payment went through. The patient must not pay again.';

const ENDED = {
  expired: 'The link no longer works. Create a new one if the amount is still due.',
  cancelled: 'Nobody can pay the link any more.',
};

const AFTER_PAYMENT = {
  disputed: 'The patient’s bank disputes the payment. It may take the money back.',
  dispute_lost: 'The patient’s bank has decided a dispute for the patient, and took the money back.',
  refunded: 'The payment was refunded.',
};

/** Numbers at the beginning of a sentence. */
const NUMBERS = 'One Two Three Four Five Six Seven Eight Nine'.split(' ');

const withLink = withRecord(findLinkOfPath, linkPage);

export const showLink = withLink();

export const showSlip = withLink(slipPage);

/** Returns the link of the path. A link that the person does not see is unknown. */
export function findLinkOfPath(visit: MemberVisit): Promise<StaffLink | null> {
  return findStaffLink(visit.scope, viewerOf(visit), visit.params.linkId ?? '');
}

async function linkPage(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, transaction, url } = found;
  const { moment, money } = formatsOf(location.timeZone);
  const isActive = isPayable(found);
  const fact = (name: string, value: string | null) => (value === null ? null : ([name, ui.own(value)] as const));
  const amount = ui.mark('strong', money(link.amountCents), 'sum');
  const replacement = await readReplacement(visit.scope, link);
  const actions = actionsOf(visit, found, isActive, replacement);
  const history = { link, transaction, ...(await readRecords(visit.scope, link)) };
  const title = `Link for ${link.patientFirstName} ${link.patientLastName}`;
  // A reload after the payment must not say again that the link is ready.
  return ui.page(title, { done: link.status === 'paid' ? undefined : doneText(visit, DONE) }, [
    ui.text([statusMark(found), ' ', amount], { class: 'summary' }),
    ui.lead(situationOf(visit, found, history)),
    replacementText(visit, link.id, replacement),
    (isActive || link.status === 'paid') && addressCard(url, isActive),
    actions.length > 0 && ui.nav('What you can do', actions),
    ui.card(null, [
      ui.facts('facts', [
        ...factsOfLink(found),
        fact('Location', location.name),
        fact('Created', moment(link.createdAt)),
        fact('Created by', SOURCES[link.source]),
        fact('Paid', link.paidAt === null ? null : moment(link.paidAt)),
        fact('Works until', isActive ? moment(link.expiresAt) : null),
      ]),
    ]),
    await timelineOfLink(visit, found, history),
    ui.text(ui.link(visit.modePath('/links'), 'Back')),
  ]);
}

/** Shows the address to copy; with its QR code while the patient can pay. */
function addressCard(url: string, hasCode: boolean): ui.Block {
  return ui.card(null, [
    ui.field('address', 'Address for the patient', url, { class: 'address', readonly: true }),
    ui.copyButton('address', COPY),
    hasCode && [
      qrPicture(url, 'QR code with the address of the payment page'),
      ui.text('The patient can scan it with a phone.', { class: 'hint' }),
    ],
  ]);
}

/** Names the links in the place of which and by which this one stands, or says that its amount was settled elsewhere. */
function replacementText(visit: MemberVisit, id: string, { predecessorId, resolution }: Replacement): ui.Content {
  const linkTo = (other: string, words: string) => ui.text(ui.link(visit.modePath(`/links/${other}`), words));
  const reason = resolution?.reason;
  const successorId = resolution?.successorLinkId ?? null;
  const mayUndo = reason !== undefined && reason !== 'replaced' && mayDo(visit.member, 'links.cancel');
  return [
    predecessorId !== null && linkTo(predecessorId, 'This link replaces an earlier one'),
    successorId !== null && linkTo(successorId, 'Another link has replaced this one'),
    reason !== undefined && reason !== 'replaced' && ui.text(`Settled elsewhere: ${SETTLED_TEXTS[reason]}.`),
    mayUndo && ui.form(visit.modePath(`/links/${id}/cancel/undo`), { button: 'Owed again' }),
  ];
}

/** Returns the pages to which the person may go from the link, in the order of their use. */
function actionsOf(
  visit: MemberVisit,
  { link, transaction, status }: StaffLink,
  isActive: boolean,
  { resolution }: Replacement,
) {
  const { member } = visit;
  const path = visit.modePath(`/links/${link.id}`);
  const mayChange = isActive && mayDo(member, 'links.change');
  const isUnpaid = (status === 'expired' || status === 'returned') && resolution === null;
  const seesPayment = transaction !== null && mayDo(member, 'payments.view');
  const actions: readonly (readonly [isOffered: boolean, name: string, href: string])[] = [
    [isActive, 'Print a slip', `${path}/slip`],
    [mayChange && visit.mailsPatients, 'Send by email', `${path}/send`],
    [mayChange, 'Change', `${path}/change`],
    [isActive && mayDo(member, 'links.cancel'), 'Cancel the link', `${path}/cancel`],
    [isUnpaid && mayDo(member, 'links.cancel'), 'Settled elsewhere', `${path}/cancel`],
    [
      !isActive && mayDo(member, 'links.create'),
      'New link with the same entries',
      visit.modePath(`/links/new?from=${link.id}`),
    ],
    [seesPayment, 'Payment and refunds', visit.modePath(`/payments/${link.id}`)],
  ];
  const button = { class: 'button quiet' };
  return actions.flatMap(([isOffered, name, href]) => (isOffered ? [ui.link(href, name, button)] : []));
}

/** Shows what happened to the link. Refunds and disputes are for those who see payments. */
async function timelineOfLink(
  visit: MemberVisit,
  { link, location }: StaffLink,
  history: LinkHistory,
): Promise<ui.Block> {
  const { scope, member } = visit;
  const acts = await listActsOn(scope, link.practiceId, link.id);
  const open = history.attempts.find(({ closedAt }) => closedAt === null);
  const hidden = mayDo(member, 'payments.view')
    ? []
    : ['refund_requested', 'dispute_opened', 'dispute_won', 'dispute_lost'];
  // The outcome of an attempt says that it began.
  const shown = timelineOf(history, acts).filter(
    ({ what, at }) => !hidden.includes(what) && (what !== 'attempt_started' || at === open?.createdAt),
  );
  return timelineBlock(visit, shown, location.timeZone, { isProof: false });
}

/** Returns in words where a link stands and why, for staff who have the patient on the phone. */
function situationOf(
  visit: MemberVisit,
  { link, location, status, afterPayment }: StaffLink,
  history: LinkHistory,
): string {
  const { attempts, transaction, reversals, openings } = history;
  const formats = formatsOf(location.timeZone);
  const { day, moment, decline } = formats;
  const tried = triedText(history, formats);
  switch (status) {
    case 'waiting': {
      if (tried === null)
        return openings === null
          ? 'The patient has not paid yet. As far as we know, nobody has opened the page.'
          : `The page was last opened on ${day(openings.lastOpenedAt)}. The patient has not tried to pay yet.`;
      if (tried === IN_DOUBT) return tried;
      const until = pausedUntil(history, visit.scope.clock.now());
      const pause =
        until && `After so many attempts in a row, the page takes payments again from ${moment(nextMinute(until))}.`;
      return `${tried} ${pause ?? 'The patient can try again, or pay another way.'}`;
    }
    case 'under_way':
      if (link.paidAt !== null)
        return `The bank has not confirmed the debit of ${day(link.paidAt)} yet. This takes about four business days.`;
      return attempts.at(-1)?.status === 'requires_action'
        ? 'The patient still has to confirm the payment with the bank. The page shows how.'
        : 'A payment is being made right now. Look again in a minute.';
    case 'paid':
      if (afterPayment === 'refunded' && reversals.length > 0)
        return 'The bank took the payment back. The patient owes the amount again.';
      return afterPayment === null
        ? 'The patient has paid. The address shows the receipt.'
        : AFTER_PAYMENT[afterPayment];
    case 'returned':
      return `The bank returned the debit: ${decline(transaction?.failureReason ?? '')}. The patient owes the amount again.`;
    case 'expired':
    case 'cancelled':
      return tried === null ? ENDED[status] : `${tried} ${ENDED[status]}`;
    default:
      status satisfies never;
      throw new Error('a link has an unknown status');
  }
}

/** Returns what came of the attempts to pay; null without an attempt that ended. */
function triedText({ attempts }: LinkHistory, { day, decline }: Formats): string | null {
  if (attempts.some(({ closedAt, reconcileAt }) => closedAt !== null && reconcileAt !== null)) return IN_DOUBT;
  const latest = attempts.at(-1);
  if (latest === undefined || latest.closedAt === null) return null;
  const onDay = day(latest.closedAt);
  if (latest.status === 'cancelled') return `A payment was begun on ${onDay}, but not completed. No money was taken.`;
  if (latest.status !== 'failed') return null;
  // Several declines of the same day and method are one sentence.
  const declined = attempts.filter(
    ({ status, methodType, closedAt }) =>
      status === 'failed' && methodType === latest.methodType && closedAt !== null && day(closedAt) === onDay,
  );
  const reasons = declined.map(({ failureReason }) => decline(failureReason ?? ''));
  const distinct = [...new Set(reasons.toReversed())].join('; ');
  const count = NUMBERS[declined.length - 1] ?? `${declined.length}`;
  const isOne = declined.length === 1;
  const payments = {
    card: isOne ? 'card payment' : 'card payments',
    us_bank_account: isOne ? 'bank debit' : 'bank debits',
  };
  return `${count} ${payments[latest.methodType]} ${isOne ? 'was' : 'were'} declined on ${onDay}: ${distinct}.`;
}

/** Returns the end of the pause after several declines in a row; null without a pause. */
function pausedUntil({ attempts }: LinkHistory, now: Date): Date | null {
  const declinedAt = attempts.toReversed().flatMap(({ status, processorReference, closedAt }) => {
    const counts = status === 'failed' || (status === 'cancelled' && processorReference !== null);
    return counts && closedAt !== null ? [closedAt.toISOString()] : [];
  });
  return throttledUntil({ isInDoubt: false, declinedAt }, now);
}
