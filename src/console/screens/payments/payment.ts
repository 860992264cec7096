import { listActsOn } from '../../../audit/list.ts';
import { formatPaymentNumber } from '../../../pages/texts/formats.ts';
import { findPayment, type PaymentDetails } from '../../../payment-links/billing/payment.ts';
import { timelineOf } from '../../../payment-links/billing/timeline.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { doneText, type MemberVisit, problem, type Reply, viewerOf } from '../../routing/visit.ts';
import { type Formats, formatsOf, languageName } from '../formats.ts';
import { disputeReason, timelineBlock } from '../timeline.ts';

export async function showPayment(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const { payment: t, refund } = visit.t.payments;
  const { labels } = visit.t;
  const { link, refunds, disputes, transaction, location } = payment;
  const { money, time, caption } = formatsOf(location.timeZone);
  const mayRefund = payment.refundableCents > 0 && mayDo(visit.member, 'payments.refund');
  const refundPath = visit.modePath(`/payments/${link.id}/refund`);
  return ui.page(t.title(money(transaction.amountCents)), { done: doneText(visit, { refunded: t.done }) }, [
    ui.text(ui.link(visit.modePath('/payments'), labels.back)),
    factsOf(visit, payment, true),
    mayRefund && disputeWarning(visit, payment),
    mayRefund && ui.text(ui.link(refundPath, refund.title, { class: 'button' })),
    ui.section(t.refunds.title, [
      refunds.length === 0
        ? ui.text(t.refunds.none, { class: 'quiet' })
        : ui.table(
            t.refunds.title,
            refunds,
            [
              [t.refunds.when, ({ createdAt }) => time(createdAt)],
              [labels.amount, ({ amountCents }) => money(amountCents), 'amount'],
              [labels.status, ({ status }) => t.refundStatus[status]],
              [
                labels.reason,
                (one) => ui.own(one.bankReversalId === null ? (one.reason ?? '–') : t.timeline.what.reversed),
              ],
            ],
            { caption },
          ),
    ]),
    disputes.length > 0 && disputesOf(visit, payment),
    authorisationOf(visit, payment),
    await paymentTimeline(visit, payment),
  ]);
}

function disputesOf(visit: MemberVisit, { link, location, disputes }: PaymentDetails): ui.Block {
  const { payment, toActOn, evidence } = visit.t.payments;
  const { labels } = visit.t;
  const { disputes: t } = payment;
  const formats = formatsOf(location.timeZone);
  const rows = disputes.map((dispute) => disputeView(visit, dispute, formats));
  const overdue = [' ', ui.mark('strong', toActOn.overdue)];
  const columns: readonly ui.Column<(typeof rows)[number]>[] = [
    [t.opened, ({ opened }) => opened],
    [labels.amount, ({ amount }) => amount, 'amount'],
    [labels.reason, ({ reason }) => reason],
    [labels.status, ({ status }) => status],
    [t.due, ({ due, isOverdue }) => [due, isOverdue && overdue]],
    [evidence.title, ({ id }) => ui.link(visit.modePath(`/payments/${link.id}/disputes/${id}`), evidence.title)],
  ];
  const list = ui.table(t.title, rows, columns, { caption: formats.caption });
  return ui.section(t.title, [list]);
}

function disputeView(visit: MemberVisit, dispute: PaymentDetails['disputes'][number], { money, moment }: Formats) {
  const { payment: t, toActOn } = visit.t.payments;
  const { id, status, evidenceDueBy: dueBy } = dispute;
  return {
    id,
    opened: moment(dispute.createdAt),
    amount: money(dispute.amountCents),
    reason: disputeReason(visit.t, dispute.reason),
    status: t.disputeStatus[status],
    due: dueBy === null ? toActOn.noDeadline : moment(dueBy),
    isOverdue: status === 'open' && dueBy !== null && dueBy < visit.scope.clock.now(),
  };
}

/** Warns of a refund while a dispute is open. Open disputes take nothing, but a lost one would. */
export function disputeWarning({ t }: MemberVisit, { disputes }: PaymentDetails): ui.Content {
  const isOpen = disputes.some(({ status }) => status === 'open');
  return isOpen && ui.text(t.payments.refund.disputed, { class: 'alert stop' });
}

/** Returns the facts of a payment. Fees, and what can still be refunded, are for the practice alone. */
function factsOf(visit: MemberVisit, payment: PaymentDetails, isForPractice: boolean): ui.Block {
  const { payment: words, states } = visit.t.payments;
  const { fields } = visit.t.links;
  const { labels } = visit.t;
  const t = words.facts;
  const { link, transaction, location, state } = payment;
  const { money, moment, method } = formatsOf(location.timeZone);
  const known = (cents: number | null) => (cents === null ? words.unknown : money(cents));
  const at = (time: Date | null) => (time === null ? '–' : moment(time));
  const number = transaction.paymentNumber === null ? '–' : formatPaymentNumber(transaction.paymentNumber);
  return ui.facts('card facts pairs', [
    [labels.status, ui.badge(states[state], state)],
    [labels.amount, money(transaction.amountCents)],
    isForPractice ? [t.fee, known(payment.feeCents)] : null,
    isForPractice ? [t.net, known(payment.feeCents === null ? null : payment.netCents)] : null,
    [t.refunded, money(payment.refundedCents)],
    [t.takenBack, money(payment.takenBackCents)],
    isForPractice ? [t.refundable, money(payment.refundableCents)] : null,
    [t.paid, at(link.paidAt)],
    [t.settled, at(transaction.processedAt)],
    [t.method, method(transaction)],
    [t.number, number],
    [t.descriptor, ui.own(transaction.statementDescriptor ?? '–')],
    [labels.location, ui.own(location.name)],
    [labels.patient, ui.own(`${link.patientFirstName} ${link.patientLastName}`)],
    [fields.externalId, ui.own(link.patientExternalId ?? '–')],
    [t.description, ui.own(link.description)],
    [fields.externalReference, ui.own(link.externalReference ?? '–')],
    [labels.link, ui.link(visit.modePath(`/links/${link.id}`), link.id, { class: undefined })],
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
  const { evidence: t, payment: words, toActOn } = visit.t.payments;
  const { labels } = visit.t;
  const { disputes: d } = words;
  const { name, city, state, timeZone } = payment.location;
  const formats = formatsOf(timeZone);
  const dispute = disputeView(visit, found, formats);
  const back = words.title(formats.money(payment.transaction.amountCents));
  return ui.page(t.title, {}, [
    ui.mark(
      'div',
      [
        ui.text(ui.link(visit.modePath(`/payments/${payment.link.id}`), back)),
        ui.lead(t.lead),
        ui.text(ui.printButton(labels.print)),
      ],
      'screen-only',
    ),
    ui.section(toActOn.reasons.open_dispute.title, [
      ui.facts('card facts pairs', [
        [
          visit.t.settings.practice.title,
          [ui.own(visit.member.practiceName), ui.BREAK, ui.own(`${name}, ${city}, ${state}`)],
        ],
        [d.opened, dispute.opened],
        [labels.amount, dispute.amount],
        [labels.reason, dispute.reason],
        [labels.status, dispute.status],
        [d.due, ui.mark('strong', dispute.due)],
      ]),
    ]),
    authorisationOf(visit, payment),
    ui.section(t.receipt, [factsOf(visit, payment, false)]),
    await paymentTimeline(visit, payment),
    ui.text(`${t.printed} ${formats.moment(visit.scope.clock.now())}`, { class: 'hint' }),
  ]);
}

/** Returns the payment of the path. @throws ApiError `not_found` if the person does not see it */
export function findPaymentOfPath(visit: MemberVisit): Promise<PaymentDetails> {
  return findPayment(visit.scope, viewerOf(visit), visit.params.paidLinkId ?? '');
}

/** Shows the authorisation of the attempt that paid. It is erased after two years, and simulated payments have none. */
function authorisationOf(visit: MemberVisit, { attempt, location }: PaymentDetails): ui.Block {
  const { authorisation: t } = visit.t.payments.payment;
  const { moment } = formatsOf(location.timeZone);
  if (attempt === null || attempt.address === null) {
    return ui.section(t.title, [ui.text(t.erased, { class: 'quiet' })]);
  }
  const { createdAt, address, locale, authorisationText: text, methodType } = attempt;
  return ui.section(t.title, [
    ui.text(t.given(moment(createdAt))),
    ui.facts('card facts pairs', [
      [t.address, address],
      [t.language, locale === null ? '–' : languageName(locale)],
    ]),
    text !== null && [ui.mark('h3', t.text), ui.mark('blockquote', ui.own(text), 'card lines')],
    text === null && methodType === 'card' && ui.text(t.card, { class: 'quiet' }),
  ]);
}

async function paymentTimeline(visit: MemberVisit, payment: PaymentDetails): Promise<ui.Block> {
  const { link, location } = payment;
  const acts = await listActsOn(visit.scope, visit.member.practiceId, link.id);
  return timelineBlock(visit, timelineOf(payment, acts), location.timeZone, { isProof: true });
}
