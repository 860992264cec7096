import { nextMinute } from '../../../patient-pages/texts/formats.ts';
import {
  findLatestTry,
  findPauseEnd,
  type LinkHistory,
  type TimelineActor,
  type TimelineEntry,
} from '../../../payment-links/billing/timeline.ts';
import { hasReceipt, isPayable, type StaffLink } from '../../../payment-links/office/link.ts';
import { type Replacement, readReplacement } from '../../../payment-links/office/staff-acts.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import * as ui from '../../../web/blocks.ts';
import { readLabels } from '../../identity/people/members.ts';
import { mayDo } from '../../model/roles.ts';
import {
  ACTS,
  CANCEL_REASON_TEXTS,
  REFUND_SETTLED_TEXTS,
  REFUND_STATUSES,
  SETTLED_TEXTS,
  wordOf,
} from '../../render/labels.ts';
import type { MemberVisit } from '../../routing/visit.ts';
import { readKeyNames } from '../developers/visit.ts';
import { createFormats, type Formats } from '../formats.ts';
import { describeReason, isToAnswer } from '../payments/disputes.ts';

/* Situation of a link or its payment, and what a person can do about it. The next step comes first. */

const IN_DOUBT = 'We do not know yet whether a payment went through. The patient must not pay again.';

const ENDED = {
  expired: 'The link no longer works. Create a new one if the amount is still due.',
  cancelled: 'Nobody can pay the link any more.',
};

const AFTER_PAYMENT = {
  disputed: 'The patient’s bank disputes the payment. It may take the money back.',
  dispute_lost:
    'The patient’s bank has decided a dispute for the patient, and took the money back. It no longer counts as owed. ' +
    'To collect it again, create a new link. Otherwise nothing is left to do.',
  refunded: 'The payment was refunded.',
};

const REFUND_FAILED =
  'A refund failed, and its money is back with your payment processor. The patient still waits for it.';

/** Numbers at the beginning of a sentence. */
const NUMBERS = 'One Two Three Four Five Six Seven Eight Nine'.split(' ');

/**
 * Shows the situation of a link in a sentence, and what stands in its place. The pages to which the person may go follow in the order of
 * their use.
 *
 * @param toAnswer the disputes to answer, on the payment's page; absent on the link's page
 */
export async function situationBlocks(
  visit: MemberVisit,
  staffLink: StaffLink,
  history: LinkHistory,
  toAnswer?: ui.Content,
): Promise<ui.Content> {
  const replacement = await readReplacement(visit.scope, staffLink.link);
  const actions = listActions(visit, staffLink, replacement, { ...history, isOfLink: toAnswer === undefined });
  return [
    ui.lead(describeSituation(visit, staffLink, history)),
    describeReplacement(visit, staffLink.link.id, replacement),
    toAnswer ?? null,
    actions.length > 0 && ui.nav('What you can do', actions),
  ];
}

/** Names the link that this one replaces and the link that replaced it, or says that the amount was settled elsewhere. */
function describeReplacement(visit: MemberVisit, id: string, { predecessorId, resolution }: Replacement): ui.Content {
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

function listActions(
  visit: MemberVisit,
  staffLink: StaffLink,
  { resolution }: Replacement,
  { attempts, reversals, disputes, acts, isOfLink }: LinkHistory & { isOfLink: boolean },
) {
  const { link, transaction, status } = staffLink;
  const { member } = visit;
  const isActive = isPayable(staffLink);
  const path = visit.modePath(`/links/${link.id}`);
  const payment = visit.modePath(`/payments/${link.id}`);
  const mayChange = isActive && mayDo(member, 'links.change');
  const isOwed = (status === 'expired' || status === 'returned' || reversals.length > 0) && resolution === null;
  const isDeclined = status === 'waiting' && attempts.at(-1)?.status === 'failed';
  const isLost = staffLink.afterPayment === 'dispute_lost';
  const phone = link.patientPhone;
  const seesPayment = transaction !== null && mayDo(member, 'payments.view') && isOfLink;
  const isDisputed = seesPayment && disputes.some((dispute) => isToAnswer(dispute));
  const wasSent = acts.some(({ action }) => action === 'link.sent');
  const isNext = isOwed || isDisputed || isLost || status === 'waiting';
  const actions: readonly (readonly [isOffered: boolean, name: string, href: string])[] = [
    [isDisputed, 'Answer the dispute', payment],
    [
      !isActive && (isOfLink || isOwed || isLost) && mayDo(member, 'links.create'),
      isOwed ? 'New link in its place' : 'New link with the same entries',
      visit.modePath(`/links/new?from=${link.id}`),
    ],
    [(isDeclined || isOwed) && phone !== null, `Call ${formatPhone(phone ?? '')}`, `tel:${phone}`],
    [
      mayChange && visit.mailsPatients && link.patientEmail !== null,
      wasSent ? 'Send again' : 'Send by email',
      `${path}/send`,
    ],
    [isActive, 'Print a slip', `${path}/slip`],
    [status === 'paid', 'Print the receipt', `${path}/slip`],
    [hasReceipt(staffLink) && visit.mailsPatients && mayDo(member, 'links.change'), 'Send the receipt', `${path}/send`],
    [mayChange, 'Change', `${path}/change`],
    [isActive && mayDo(member, 'links.cancel'), 'Cancel the link', `${path}/cancel`],
    [isOwed && mayDo(member, 'links.cancel'), 'Settled elsewhere', `${path}/cancel`],
    [seesPayment, 'Payment and refunds', payment],
    [!isOfLink, 'Payment link', path],
  ];
  const offered = actions.filter(([isOffered]) => isOffered);
  return offered.map(([, name, href], index) =>
    ui.link(href, name, { class: isNext && index === 0 ? 'button' : 'button quiet' }),
  );
}

/** Returns in words where a link stands and why, for staff who have the patient on the phone. */
function describeSituation(
  visit: MemberVisit,
  { link, location, status, afterPayment }: StaffLink,
  history: LinkHistory,
): string {
  const { attempts, transaction, reversals, openings } = history;
  const formats = createFormats(location.timeZone);
  const { day, moment, decline } = formats;
  const latestTry = describeLatestTry(history, formats);
  switch (status) {
    case 'waiting': {
      if (latestTry === null)
        return openings === null
          ? 'The patient has not paid yet. As far as we know, nobody has opened the page.'
          : `The page was last opened on ${day(openings.lastOpenedAt)}. The patient has not tried to pay yet.`;
      if (latestTry === IN_DOUBT) return latestTry;
      const until = findPauseEnd(history, visit.scope.clock.now());
      const pause =
        until && `After so many attempts in a row, the page takes payments again from ${moment(nextMinute(until))}.`;
      return `${latestTry} ${pause ?? 'The patient can try again, or pay another way.'}`;
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
      return describePayment(history, afterPayment, day);
    case 'returned':
      return `The bank returned the debit: ${decline(transaction?.failureReason ?? '')}. The patient owes the amount again.`;
    case 'expired':
    case 'cancelled':
      return latestTry === null ? ENDED[status] : `${latestTry} ${ENDED[status]}`;
    default:
      status satisfies never;
      throw new Error('a link has an unknown status');
  }
}

function describePayment(
  { disputes, refunds, acts }: LinkHistory,
  afterPayment: StaffLink['afterPayment'],
  day: Formats['day'],
): string {
  const answeredAt = disputes.findLast(({ status }) => status === 'open')?.answeredAt ?? null;
  if (answeredAt !== null && !disputes.some(isToAnswer))
    return `The patient’s bank disputes the payment. Your answer was sent on ${day(answeredAt)}, and the bank decides.`;
  const statuses = refunds.filter(({ bankReversalId }) => bankReversalId === null).map(({ status }) => status);
  const isDisputed = afterPayment === 'disputed' || afterPayment === 'dispute_lost';
  if (statuses.includes('pending') && !isDisputed) return 'The patient has paid. A refund is on its way.';
  if (afterPayment !== null) return AFTER_PAYMENT[afterPayment];
  if (statuses.at(-1) === 'failed' && !acts.some(({ action }) => action === 'refund.settled')) return REFUND_FAILED;
  if (statuses.includes('succeeded')) return 'The patient has paid, and a part was refunded.';
  return 'The patient has paid.';
}

function describeLatestTry(history: LinkHistory, { day, decline }: Formats): string | null {
  const latestTry = findLatestTry(history, day);
  if (latestTry === null || latestTry.outcome === 'in_doubt') return latestTry && IN_DOUBT;
  const onDay = day(latestTry.at);
  if (latestTry.outcome === 'cancelled')
    return `A payment was begun on ${onDay}, but not completed. No money was taken.`;
  const { methodType, reasons } = latestTry;
  const count = reasons.length;
  const payments = { card: 'card payment', us_bank_account: 'bank debit' };
  const were = count === 1 ? ' was' : 's were';
  const why = [...new Set(reasons.map(decline))].join('; ');
  return `${NUMBERS[count - 1] ?? count} ${payments[methodType]}${were} declined on ${onDay}: ${why}.`;
}

const OCCURRENCES = {
  link_created: 'Link created',
  link_expired: 'Link expired',
  opened: 'Page opened',
  opened_again: 'Page last opened',
  attempt_started: 'Payment submitted',
  attempt_failed: 'Payment declined',
  attempt_cancelled: 'Payment not completed, no money taken',
  attempt_in_doubt: 'Payment ended, outcome unknown',
  debit_submitted: 'Debit submitted to the bank',
  paid: 'Paid',
  settled: 'Debit confirmed by the bank',
  returned: 'Returned by the bank',
  refund_requested: 'Refund requested',
  reversed: 'Taken back by the bank',
  dispute_opened: 'Dispute opened',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
} satisfies Record<Exclude<TimelineEntry['what'], 'act'>, string>;

const ACTORS = {
  api: 'software of the practice',
  api_key: 'API key',
  staff: 'office staff',
  website: 'the website',
  operator: 'the operator of the service',
  patient: 'the patient',
  processor: 'the payment processor',
  bank: 'the patient’s bank',
  system: 'this service',
  simulation: 'a simulation',
} satisfies Record<Exclude<TimelineActor['kind'], 'person'>, string>;

/** Shows a timeline. A proof of a payment has network addresses and names of keys. */
export async function timelineBlock(
  visit: MemberVisit,
  entries: readonly TimelineEntry[],
  { money, moment, decline }: Formats,
  isProof: boolean,
): Promise<ui.Block> {
  const { scope, member } = visit;
  const listIds = (kind: 'person' | 'api_key') => entries.map(({ actor }) => (actor.kind === kind ? actor.id : null));
  const people = await readLabels(scope, member.practiceId, listIds('person'));
  const names = isProof ? new Map([...people, ...(await readKeyNames(visit, listIds('api_key')))]) : people;
  const lines = entries.map((entry) => {
    const { at, what, actor, act, amountCents } = entry;
    const name = what === 'act' ? wordOf(ACTS, act ?? '') : OCCURRENCES[what];
    const further = [amountCents === null ? null : money(amountCents), describeDetail(decline, entry)];
    const from = isProof && 'address' in actor ? actor.address : null;
    return [
      ui.text([ui.mark('strong', name), ...further.map((text) => text && ` · ${text}`)]),
      ui.text(
        [
          at === null ? 'time not recorded' : ui.moment(at, moment(at)),
          ` · by `,
          ui.own(describeActor(actor, names, isProof)),
          from && ` · from ${from}`,
        ],
        { class: 'hint' },
      ),
    ];
  });
  return ui.section('Timeline', [ui.list('ol', lines, 'timeline')]);
}

function describeActor(actor: TimelineActor, names: ReadonlyMap<string, string>, isProof: boolean): string {
  if (actor.kind === 'person') return names.get(actor.id) ?? actor.id;
  if (actor.kind !== 'api_key') return ACTORS[actor.kind];
  return isProof ? `API key ${names.get(actor.id) ?? actor.id}` : 'software of the practice';
}

function describeDetail(decline: Formats['decline'], { what, detail }: TimelineEntry): string | null {
  if (detail === null) return null;
  switch (what) {
    case 'act':
      return wordOf({ ...CANCEL_REASON_TEXTS, ...REFUND_SETTLED_TEXTS }, detail);
    case 'opened_again':
      return `${detail} times in all`;
    case 'refund_requested':
      return wordOf(REFUND_STATUSES, detail);
    case 'dispute_opened':
      return describeReason(detail)[0];
    case 'attempt_failed':
    case 'returned':
      return decline(detail);
    default:
      return null;
  }
}
