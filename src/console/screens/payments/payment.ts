import { formatPaymentNumber } from '../../../patient-pages/texts/formats.ts';
import { findPayment, type PaymentDetails } from '../../../payment-links/billing/payments.ts';
import { listHistory } from '../../../payment-links/billing/timeline.ts';
import * as ui from '../../../web/blocks.ts';
import { languageName } from '../../../web/language.ts';
import { mayDo } from '../../model/roles.ts';
import { PAYMENT_STATES, REFUND_STATUSES } from '../../render/labels.ts';
import { doneText, type MemberVisit, problem, type Reply, viewerOf } from '../../routing/visit.ts';
import { createFormats } from '../formats.ts';
import { situationBlocks, timelineBlock } from '../links/situation.ts';
import { describeReason, disputeCard, disputeFacts, disputeWarning, isToAnswer } from './disputes.ts';

const DONE = {
  refunded: 'The refund is recorded. Its status is below.',
  answered: 'Noted: the answer is sent. The bank decides.',
};

/** Shows whose payment it is and where it stands, what to do next, and then what is on record about it. */
export async function showPayment(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const { link, refunds, disputes, transaction, location, state } = payment;
  const formats = createFormats(location.timeZone);
  const { money, time, caption } = formats;
  const mayRefund = payment.refundableCents > 0 && mayDo(visit.member, 'payments.refund');
  const refundPath = visit.modePath(`/payments/${link.id}/refund`);
  const cards = (isShown: boolean) =>
    disputes.filter((one) => isToAnswer(one) === isShown).map((one) => disputeCard(visit, payment, one));
  const list = ui.table(
    'Refunds',
    refunds,
    [
      ['When', ({ createdAt }) => time(createdAt)],
      ['Amount', ({ amountCents }) => money(amountCents), 'amount'],
      ['Status', ({ status }) => REFUND_STATUSES[status]],
      ['Reason', (one) => ui.own(one.bankReversalId === null ? (one.reason ?? '–') : 'Taken back by the bank')],
    ],
    { caption },
  );
  return ui.page(`${money(transaction.amountCents)} from ${patientName(link)}`, { done: doneText(visit, DONE) }, [
    ui.text(ui.badge(PAYMENT_STATES[state], state)),
    await situationBlocks(visit, payment, payment, cards(true)),
    factGroups(payment, true),
    mayRefund && [
      disputeWarning(payment),
      ui.text([
        ui.link(refundPath, 'Refund', { class: 'button quiet' }),
        ` ${money(payment.refundableCents)} can still be refunded.`,
      ]),
    ],
    refunds.length > 0 && ui.section('Refunds', [list]),
    cards(false),
    authorisationSection(payment),
    await timelineBlock(visit, listHistory(payment), formats, true),
    ui.text(ui.link(visit.modePath('/payments'), 'Back')),
  ]);
}

/** Returns the facts of a payment in groups. The fee, and what the practice keeps, are for the practice alone. */
function listFacts({ link, transaction, location, ...payment }: PaymentDetails, isForPractice: boolean) {
  const { money, moment, day, method } = createFormats(location.timeZone);
  const { processedAt: settledAt, statementDescriptor: statement, paymentNumber } = transaction;
  const { patientExternalId: chart, externalReference: reference, paidAt } = link;
  const hasSettledLater = settledAt !== null && settledAt.getTime() !== paidAt?.getTime();
  const sum = (cents: number) => cents !== 0 && money(cents);
  const { feeCents: fee, netCents: net } = payment;
  return {
    'What it was for': [
      ['Patient', [ui.own(patientName(link)), chart !== null && [', chart number ', ui.own(chart)]]],
      ['For', ui.own(link.description), 'lines'],
      ['Reference', reference !== null && ui.own(reference)],
      ['Location', ui.own(location.name)],
    ],
    Payment: [
      ['Paid', paidAt && [moment(paidAt), hasSettledLater && `, settled on ${day(settledAt)}`]],
      ['Method', [method(transaction), statement !== null && ui.own(`, “${statement}” on the statement`)]],
      ['Payment number', paymentNumber && formatPaymentNumber(paymentNumber)],
    ],
    Money: [
      ['Amount', money(transaction.amountCents)],
      ['Refunded', sum(payment.refundedCents)],
      ['Taken back', sum(payment.takenBackCents)],
      ['Fee', isForPractice && (fee === null ? 'not known yet' : money(fee))],
      ['Net', isForPractice && fee !== null && money(net)],
    ],
  } satisfies Record<string, readonly ui.Fact[]>;
}

function factGroups(payment: PaymentDetails, isForPractice: boolean): ui.Block {
  const groups = Object.entries(listFacts(payment, isForPractice));
  return ui.group('pairs', ...groups.map(([title, facts]) => ui.card(title, [ui.facts('facts', facts)])));
}

/** Shows which payment a form refunds. */
export function paymentFacts(payment: PaymentDetails): ui.Block {
  const groups = listFacts(payment, false);
  return ui.facts('card facts', [...groups['What it was for'], ...groups.Payment, ...groups.Money]);
}

function patientName({ patientFirstName, patientLastName }: PaymentDetails['link']): string {
  return `${patientFirstName} ${patientLastName}`;
}

/**
 * Shows one dispute with everything that a bank may ask for, to print. Fees are no business of the patient's bank.
 *
 * @throws ApiError `not_found`
 */
export async function showEvidence(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const dispute = payment.disputes.find(({ id }) => id === visit.params.disputeId);
  if (dispute === undefined) return problem('not_found');
  const { name, city, state, timeZone } = payment.location;
  const formats = createFormats(timeZone);
  const back = `Payment of ${formats.money(payment.transaction.amountCents)}`;
  return ui.page('Evidence sheet', {}, [
    ui.group(
      'screen-only',
      ui.text(ui.link(visit.modePath(`/payments/${payment.link.id}`), back)),
      ui.lead('Print this sheet, or save it as PDF, and send it to the processor before the deadline.'),
      ui.text(ui.printButton('Print')),
    ),
    ui.section(`Dispute: ${describeReason(dispute.reason)[0]}`, [
      ui.text([ui.own(visit.member.practiceName), ui.BREAK, ui.own(`${name}, ${city}, ${state}`)]),
      disputeFacts(visit, timeZone, dispute),
    ]),
    authorisationSection(payment),
    ui.section('Receipt', [factGroups(payment, false)]),
    await timelineBlock(visit, listHistory(payment), formats, true),
    ui.text(`Printed on ${formats.moment(visit.scope.clock.now())}`, { class: 'hint' }),
  ]);
}

/** Returns the payment of the path. @throws ApiError `not_found` if the person does not see it */
export function findPaymentOfPath(visit: MemberVisit): Promise<PaymentDetails> {
  return findPayment(visit.scope, viewerOf(visit), visit.params.paidLinkId ?? '');
}

/** Shows the authorisation of the attempt that paid. It is erased after two years, and simulated payments have none. */
function authorisationSection({ attempt, location }: PaymentDetails): ui.Block {
  const { moment } = createFormats(location.timeZone);
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
