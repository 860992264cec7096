import { listActsOn } from '../../../audit/list.ts';
import { formatPaymentNumber } from '../../../pages/texts/formats.ts';
import { findPayment, type PaymentDetails } from '../../../payment-links/billing/payment.ts';
import { type TimelineActor, type TimelineEntry, timelineOf } from '../../../payment-links/billing/timeline.ts';
import { mayDo } from '../../model/roles.ts';
import { emailsOf } from '../../people/users.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { doneText, notFound, viewerOf } from '../../routing/visit.ts';
import { type Texts, wordOf } from '../../texts/texts.ts';
import { languageName } from '../formats.ts';
import { methodText } from './list.ts';
import { type Formats, formatsOf } from './visit.ts';

export async function showPayment(visit: MemberVisit): Promise<Reply> {
  const payment = await paymentOf(visit);
  const { payment: t, refund } = visit.t.payments;
  const view = await paymentView(visit, payment);
  const mayRefund = payment.refundableCents > 0 && mayDo(visit.member, 'payments.refund');
  const refundPath = visit.modePath(`/payments/${payment.link.id}/refund`);
  return ui.page(t.title(view.amount), { done: doneText(visit, { refunded: t.done }) }, [
    ui.text(ui.link(visit.modePath('/payments'), t.back)),
    factsOf(visit, payment, true),
    mayRefund && ui.text(ui.link(refundPath, refund.title, { class: 'button' })),
    ui.section(t.refunds.title, [
      view.refunds.length === 0
        ? ui.text(t.refunds.none, { class: 'quiet-text' })
        : ui.table(t.refunds.title, view.refunds, [
            [t.refunds.when, ({ when }) => when],
            [t.facts.amount, ({ amount }) => amount, 'amount'],
            [t.refunds.status, ({ status }) => status],
            [t.refunds.reason, ({ reason }) => ui.own(reason)],
          ]),
    ]),
    view.disputes.length > 0 && disputesOf(visit, view),
    ui.part('/payments/authorisation', view),
    ui.part('/payments/timeline', view),
  ]);
}

type PaymentView = Awaited<ReturnType<typeof paymentView>>;

function disputesOf({ t: { payments } }: MemberVisit, { disputes }: PaymentView): ui.Block {
  const { payment, toActOn, evidence } = payments;
  const { disputes: t, facts, refunds } = payment;
  const overdue = [' ', ui.mark('strong', toActOn.overdue)];
  const list = ui.table(t.title, disputes, [
    [t.opened, ({ opened }) => opened],
    [facts.amount, ({ amount }) => amount, 'amount'],
    [refunds.reason, ({ reason }) => reason],
    [refunds.status, ({ status }) => status],
    [t.due, ({ due, isOverdue }) => [due, isOverdue && overdue]],
    [evidence.title, ({ sheet }) => ui.link(sheet, evidence.title)],
  ]);
  return ui.section(t.title, [list]);
}

/** Returns the facts of a payment. Fees, and what can still be refunded, are for the practice alone. */
function factsOf(visit: MemberVisit, payment: PaymentDetails, isForPractice: boolean): ui.Block {
  const { payment: words, states } = visit.t.payments;
  const t = words.facts;
  const { link, transaction, location, state } = payment;
  const { money, moment } = formatsOf(visit, location.timeZone);
  const known = (cents: number | null) => (cents === null ? words.unknown : money(cents));
  const at = (time: Date | null) => (time === null ? '–' : moment(time));
  const number = transaction.paymentNumber === null ? '–' : formatPaymentNumber(transaction.paymentNumber);
  return ui.facts('card pairs', [
    [t.state, ui.mark('span', states[state], `state state-${state}`)],
    [t.amount, money(transaction.amountCents)],
    isForPractice ? [t.fee, known(transaction.feeCents)] : null,
    isForPractice ? [t.net, known(transaction.netCents)] : null,
    [t.refunded, money(payment.refundedCents)],
    isForPractice ? [t.refundable, money(payment.refundableCents)] : null,
    [t.paid, at(link.paidAt)],
    [t.settled, at(transaction.processedAt)],
    [t.method, methodText(visit, transaction)],
    [t.number, number],
    [t.descriptor, ui.own(transaction.statementDescriptor ?? '–')],
    [t.location, ui.own(location.name)],
    [t.patient, ui.own(`${link.patientFirstName} ${link.patientLastName}`)],
    [t.patientId, ui.own(link.patientExternalId ?? '–')],
    [t.description, ui.own(link.description)],
    [t.reference, ui.own(link.externalReference ?? '–')],
    [t.link, ui.link(visit.modePath(`/links/${link.id}`), link.id, { class: undefined })],
  ]);
}

/**
 * Shows one dispute with everything that a bank may ask for, to print. Fees are no business of the patient's bank.
 *
 * @throws ApiError `not_found`
 */
export async function showEvidence(visit: MemberVisit): Promise<Reply> {
  const payment = await paymentOf(visit);
  const view = await paymentView(visit, payment);
  const dispute = view.disputes.find(({ id }) => id === visit.params.disputeId);
  if (dispute === undefined) return notFound();
  const { evidence: t, payment: words } = visit.t.payments;
  const { disputes: d, facts, refunds } = words;
  const printed = view.formats.moment(visit.scope.clock.now());
  const { name, city, state } = payment.location;
  const back = visit.modePath(`/payments/${payment.link.id}`);
  return ui.page(t.title, {}, [
    ui.part('/payments/print', { back, title: words.title(view.amount) }),
    ui.section(t.dispute, [
      ui.facts('card pairs', [
        [t.practice, [ui.own(visit.member.practiceName), ui.BREAK, ui.own(`${name}, ${city}, ${state}`)]],
        [d.opened, dispute.opened],
        [facts.amount, dispute.amount],
        [refunds.reason, dispute.reason],
        [refunds.status, dispute.status],
        [d.due, ui.mark('strong', dispute.due)],
      ]),
    ]),
    ui.part('/payments/authorisation', view),
    ui.section(t.receipt, [factsOf(visit, payment, false)]),
    ui.part('/payments/timeline', view),
    ui.text(`${t.printed} ${printed}`, { class: 'hint' }),
  ]);
}

/** Returns the payment of the path. @throws ApiError `not_found` if the person does not see it */
export function paymentOf(visit: MemberVisit): Promise<PaymentDetails> {
  return findPayment(visit.scope, viewerOf(visit), visit.params.paidLinkId ?? '');
}

async function paymentView(visit: MemberVisit, payment: PaymentDetails) {
  const { scope, member } = visit;
  const { payments: t } = visit.t;
  const { link, transaction, location } = payment;
  const formats = formatsOf(visit, location.timeZone);
  const acts = await listActsOn(scope, member.practiceId, link.id);
  const people = acts.map(({ actorKind, actorId }) => (actorKind === 'person' ? actorId : null));
  const emails = await emailsOf(scope, people);
  const { money, moment } = formats;
  const now = scope.clock.now();
  return {
    formats,
    amount: money(transaction.amountCents),
    refunds: payment.refunds.map((refund) => ({
      when: moment(refund.createdAt),
      amount: money(refund.amountCents),
      status: t.payment.refundStatus[refund.status],
      reason: refund.bankReversalId === null ? (refund.reason ?? '–') : t.payment.bankReversal,
    })),
    disputes: payment.disputes.map((dispute) => ({
      id: dispute.id,
      opened: moment(dispute.createdAt),
      amount: money(dispute.amountCents),
      reason: inWords(dispute.reason),
      status: t.payment.disputeStatus[dispute.status],
      due: dispute.evidenceDueBy === null ? t.toActOn.noDeadline : moment(dispute.evidenceDueBy),
      isOverdue: dispute.status === 'open' && dispute.evidenceDueBy !== null && dispute.evidenceDueBy < now,
      sheet: visit.modePath(`/payments/${link.id}/disputes/${dispute.id}`),
    })),
    authorisation: authorisationView(visit, payment, formats),
    timeline: timelineOf(payment, acts).map((entry) => entryView(visit, formats, entry, emails)),
  };
}

/** The authorisation of the attempt that paid. It is erased after two years, and simulated payments have none. */
function authorisationView({ language }: MemberVisit, { attempt }: PaymentDetails, { moment }: Formats) {
  if (attempt === null || attempt.address === null) return null;
  const { createdAt, address, locale, authorisationText, methodType } = attempt;
  const spoken = locale === null ? '–' : languageName(locale, language);
  return { given: moment(createdAt), address, language: spoken, text: authorisationText, methodType };
}

function entryView(
  { t }: MemberVisit,
  { moment, money }: Formats,
  entry: TimelineEntry,
  emails: ReadonlyMap<string, string>,
) {
  const { timeline } = t.payments.payment;
  const { at, what, actor, amountCents, detail } = entry;
  return {
    isoTime: at?.toISOString() ?? null,
    time: at === null ? timeline.noTime : moment(at),
    what: what === 'act' ? wordOf(t.auditLog.actions, detail ?? '') : timeline.what[what],
    amount: amountCents === null ? null : money(amountCents),
    by: actorText(t, actor, emails),
    from: 'address' in actor ? actor.address : null,
    detail: detailText(t, entry),
  };
}

function actorText(t: Texts, actor: TimelineActor, emails: ReadonlyMap<string, string>) {
  const { actors } = t.payments.payment.timeline;
  if (actor.kind === 'person') return emails.get(actor.id) ?? actor.id;
  return actor.kind === 'api_key' ? `${actors.api_key} ${actor.id}` : actors[actor.kind];
}

function detailText(t: Texts, { what, detail }: TimelineEntry): string | null {
  if (detail === null || what === 'act') return null;
  return what === 'refund_requested' ? wordOf(t.payments.payment.refundStatus, detail) : inWords(detail);
}

/** Writes a reason in snake_case as words. */
function inWords(reason: string): string {
  return reason.replaceAll('_', ' ');
}
