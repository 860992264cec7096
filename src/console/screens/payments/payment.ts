import { listActsOn } from '../../../audit/list.ts';
import { formatPaymentNumber } from '../../../pages/texts/formats.ts';
import { findPayment, type PaymentDetails } from '../../../payment-links/billing/payment.ts';
import { timelineOf } from '../../../payment-links/billing/timeline.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { PAYMENT_STATES, REFUND_STATUSES } from '../../render/labels.ts';
import { doneText, type MemberVisit, problem, type Reply, viewerOf } from '../../routing/visit.ts';
import { type Formats, formatsOf, languageName } from '../formats.ts';
import { disputeReason, timelineBlock } from '../timeline.ts';

const DISPUTE_STATUSES = {
  open: 'Open',
  won: 'Won',
  lost: 'Lost',
};

export async function showPayment(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const { link, refunds, disputes, transaction, location } = payment;
  const { money, time, caption } = formatsOf(location.timeZone);
  const mayRefund = payment.refundableCents > 0 && mayDo(visit.member, 'payments.refund');
  const refundPath = visit.modePath(`/payments/${link.id}/refund`);
  return ui.page(
    `Payment of ${money(transaction.amountCents)}`,
    { done: doneText(visit, { refunded: 'The refund is recorded. Its status is below.' }) },
    [
      ui.text(ui.link(visit.modePath('/payments'), 'Back')),
      factsOf(visit, payment, true),
      mayRefund && disputeWarning(payment),
      mayRefund && ui.text(ui.link(refundPath, 'Refund', { class: 'button' })),
      ui.section('Refunds', [
        refunds.length === 0
          ? ui.text('Nothing was refunded.', { class: 'quiet' })
          : ui.table(
              'Refunds',
              refunds,
              [
                ['When', ({ createdAt }) => time(createdAt)],
                ['Amount', ({ amountCents }) => money(amountCents), 'amount'],
                ['Status', ({ status }) => REFUND_STATUSES[status]],
                [
                  'Reason',
                  (one) => ui.own(one.bankReversalId === null ? (one.reason ?? '–') : 'Taken back by the bank'),
                ],
              ],
              { caption },
            ),
      ]),
      disputes.length > 0 && disputesOf(visit, payment),
      authorisationOf(payment),
      await paymentTimeline(visit, payment),
    ],
  );
}

function disputesOf(visit: MemberVisit, { link, location, disputes }: PaymentDetails): ui.Block {
  const formats = formatsOf(location.timeZone);
  const rows = disputes.map((dispute) => disputeView(visit, dispute, formats));
  const overdue = [' ', ui.mark('strong', 'The deadline has passed.')];
  const columns: readonly ui.Column<(typeof rows)[number]>[] = [
    ['Opened', ({ opened }) => opened],
    ['Amount', ({ amount }) => amount, 'amount'],
    ['Reason', ({ reason }) => reason],
    ['Status', ({ status }) => status],
    ['Evidence due', ({ due, isOverdue }) => [due, isOverdue && overdue]],
    ['Evidence sheet', ({ id }) => ui.link(visit.modePath(`/payments/${link.id}/disputes/${id}`), 'Evidence sheet')],
  ];
  const list = ui.table('Disputes', rows, columns, { caption: formats.caption });
  return ui.section('Disputes', [list]);
}

function disputeView(visit: MemberVisit, dispute: PaymentDetails['disputes'][number], { money, moment }: Formats) {
  const { id, status, evidenceDueBy: dueBy } = dispute;
  return {
    id,
    opened: moment(dispute.createdAt),
    amount: money(dispute.amountCents),
    reason: disputeReason(dispute.reason),
    status: DISPUTE_STATUSES[status],
    due: dueBy === null ? 'The bank named no deadline.' : moment(dueBy),
    isOverdue: status === 'open' && dueBy !== null && dueBy < visit.scope.clock.now(),
  };
}

/** Warns of a refund while a dispute is open. Open disputes take nothing, but a lost one would. */
export function disputeWarning({ disputes }: PaymentDetails): ui.Content {
  const isOpen = disputes.some(({ status }) => status === 'open');
  return isOpen && ui.text('A dispute is open. If you refund now and lose it, you pay twice.', { class: 'alert stop' });
}

/** Returns the facts of a payment. Fees, and what can still be refunded, are for the practice alone. */
function factsOf(visit: MemberVisit, payment: PaymentDetails, isForPractice: boolean): ui.Block {
  const { link, transaction, location, state } = payment;
  const { money, moment, method } = formatsOf(location.timeZone);
  const known = (cents: number | null) => (cents === null ? 'not known yet' : money(cents));
  const at = (time: Date | null) => (time === null ? '–' : moment(time));
  const number = transaction.paymentNumber === null ? '–' : formatPaymentNumber(transaction.paymentNumber);
  return ui.facts('card facts pairs', [
    ['Status', ui.badge(PAYMENT_STATES[state], state)],
    ['Amount', money(transaction.amountCents)],
    isForPractice ? ['Fee', known(payment.feeCents)] : null,
    isForPractice ? ['Net', known(payment.feeCents === null ? null : payment.netCents)] : null,
    ['Refunded', money(payment.refundedCents)],
    ['Taken back', money(payment.takenBackCents)],
    isForPractice ? ['Still refundable', money(payment.refundableCents)] : null,
    ['Paid', at(link.paidAt)],
    ['Settled', at(transaction.processedAt)],
    ['Method', method(transaction)],
    ['Payment number', number],
    ['On the statement', ui.own(transaction.statementDescriptor ?? '–')],
    ['Location', ui.own(location.name)],
    ['Patient', ui.own(`${link.patientFirstName} ${link.patientLastName}`)],
    ['Chart number', ui.own(link.patientExternalId ?? '–')],
    ['For', ui.own(link.description)],
    ['Reference', ui.own(link.externalReference ?? '–')],
    ['Payment link', ui.link(visit.modePath(`/links/${link.id}`), link.id, { class: undefined })],
  ]);
}

/**
 * Shows one dispute with everything that a bank may ask for, to print. Fees are no business of the patient's bank.
 *
 * @throws ApiError `not_found`
 */
export async function showEvidence(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const found = payment.disputes.find(({ id }) => id === visit.params.disputeId);
  if (found === undefined) return problem('not_found');
  const { name, city, state, timeZone } = payment.location;
  const formats = formatsOf(timeZone);
  const dispute = disputeView(visit, found, formats);
  const back = `Payment of ${formats.money(payment.transaction.amountCents)}`;
  return ui.page('Evidence sheet', {}, [
    ui.mark(
      'div',
      [
        ui.text(ui.link(visit.modePath(`/payments/${payment.link.id}`), back)),
        ui.lead('Print this sheet, or save it as PDF, and send it to the processor before the deadline.'),
        ui.text(ui.printButton('Print')),
      ],
      'screen-only',
    ),
    ui.section('Dispute', [
      ui.facts('card facts pairs', [
        ['Practice', [ui.own(visit.member.practiceName), ui.BREAK, ui.own(`${name}, ${city}, ${state}`)]],
        ['Opened', dispute.opened],
        ['Amount', dispute.amount],
        ['Reason', dispute.reason],
        ['Status', dispute.status],
        ['Evidence due', ui.mark('strong', dispute.due)],
      ]),
    ]),
    authorisationOf(payment),
    ui.section('Receipt', [factsOf(visit, payment, false)]),
    await paymentTimeline(visit, payment),
    ui.text(`Printed on ${formats.moment(visit.scope.clock.now())}`, { class: 'hint' }),
  ]);
}

/** Returns the payment of the path. @throws ApiError `not_found` if the person does not see it */
export function findPaymentOfPath(visit: MemberVisit): Promise<PaymentDetails> {
  return findPayment(visit.scope, viewerOf(visit), visit.params.paidLinkId ?? '');
}

/** Shows the authorisation of the attempt that paid. It is erased after two years, and simulated payments have none. */
function authorisationOf({ attempt, location }: PaymentDetails): ui.Block {
  const { moment } = formatsOf(location.timeZone);
  if (attempt === null || attempt.address === null) {
    return ui.section('Authorization', [
      ui.text('The record is not kept: it is older than two years, or the payment was simulated.', { class: 'quiet' }),
    ]);
  }
  const { createdAt, address, locale, authorisationText: text, methodType } = attempt;
  return ui.section('Authorization', [
    ui.text(`Given on the hosted page on ${moment(createdAt)}.`),
    ui.facts('card facts pairs', [
      ['Network address of the patient', address],
      ['Language of the page', locale === null ? '–' : languageName(locale)],
    ]),
    text !== null && [ui.mark('h3', 'Text above the button'), ui.mark('blockquote', ui.own(text), 'card lines')],
    text === null &&
      methodType === 'card' &&
      ui.text('A card payment has no text. The patient entered the card on the hosted page.', { class: 'quiet' }),
  ]);
}

async function paymentTimeline(visit: MemberVisit, payment: PaymentDetails): Promise<ui.Block> {
  const { link, location } = payment;
  const acts = await listActsOn(visit.scope, visit.member.practiceId, link.id);
  return timelineBlock(visit, timelineOf(payment, acts), location.timeZone, { isProof: true });
}
