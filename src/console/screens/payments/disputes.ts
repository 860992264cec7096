import type { PaymentDetails } from '../../../payment-links/billing/payments.ts';
import { answerDisputeAsStaff } from '../../../payment-links/office/staff-acts.ts';
import * as ui from '../../../web/blocks.ts';
import { mayDo } from '../../model/roles.ts';
import { type MemberVisit, type Reply, staffOf } from '../../routing/visit.ts';
import { createFormats } from '../formats.ts';

type Dispute = PaymentDetails['disputes'][number];

const DISPUTE_STATUSES = { open: 'Open', won: 'Won', lost: 'Lost' };

/** Papers that answer a dispute. They prove what was agreed, that the patient came, and what was paid. None is about health. */
const PAPERS = {
  consent: 'The consent, treatment plan or financial agreement that the patient signed',
  visit: 'The days of the appointment and the visit, such as a signed check-in sheet',
  messages: 'Messages in which the patient speaks of the appointment or the bill',
  policy: 'Your refund and cancellation policy, and how the patient agreed to it',
  refund: 'Proof of the refund, or the reason why none is due',
  bills: 'The bills of both payments, which show two visits or two services',
  call: 'Banks seldom take evidence for this reason. Call the patient about another way to pay.',
};

/** Reasons of disputes: all that Stripe gives, each with its papers. Any other code has those of `general`. */
export const DISPUTE_REASONS = {
  bank_cannot_process: ['The bank could not process the payment', 'call'],
  check_returned: ['A check was returned', 'call'],
  credit_not_processed: ['A promised refund did not arrive', 'refund', 'policy'],
  customer_initiated: ['The patient asked the bank for it', 'consent', 'visit', 'messages'],
  debit_not_authorized: ['The debit was not authorized', 'consent', 'visit', 'messages'],
  duplicate: ['Paid twice', 'bills', 'refund'],
  fraudulent: ['The cardholder reports fraud', 'consent', 'visit', 'messages'],
  general: ['Another reason', 'consent', 'visit', 'policy'],
  incorrect_account_details: ['Wrong account details', 'call'],
  insufficient_funds: ['Not enough money in the account', 'call'],
  noncompliant: ['Against the rules of the card network', 'consent', 'policy'],
  product_not_received: ['The service was not received', 'visit', 'consent', 'messages'],
  product_unacceptable: ['Not satisfied with the service', 'consent', 'policy', 'messages'],
  subscription_canceled: ['Paid after a cancellation', 'policy', 'visit', 'messages'],
  unrecognized: ['The patient does not recognize the payment', 'visit', 'consent', 'messages'],
} satisfies Record<string, readonly [words: string, ...papers: (keyof typeof PAPERS)[]]>;

/** Returns the reason of a dispute in words, and the papers that answer it. */
export function describeReason(code: string): readonly [words: string, ...papers: (keyof typeof PAPERS)[]] {
  return new Map(Object.entries(DISPUTE_REASONS)).get(code) ?? DISPUTE_REASONS.general;
}

/** Returns true if the bank waits for an answer that nobody has sent, as far as it is on record. */
export function isToAnswer({ status, answeredAt }: Dispute): boolean {
  return status === 'open' && answeredAt === null;
}

/** Shows a dispute; while it is open, also what to send to whom and by when. The evidence sheet has the facts alone. */
export function disputeCard(visit: MemberVisit, { link, location }: PaymentDetails, dispute: Dispute): ui.Block {
  const path = visit.modePath(`/payments/${link.id}/disputes/${dispute.id}`);
  const [words, ...papers] = describeReason(dispute.reason);
  const isAsked = isToAnswer(dispute);
  const mark = isAsked ? 'The answer is sent' : 'The answer is not sent yet';
  const hidden = { sent: isAsked ? 'yes' : 'no' };
  return ui.card(`Dispute: ${words}`, [
    disputeFacts(visit, location.timeZone, dispute),
    isAsked && [
      ui.text('Send these in the dashboard of your payment processor. Leave out diagnoses, notes and pictures.'),
      ui.list('ul', ['The evidence sheet: authorization, receipt and timeline', ...papers.map((name) => PAPERS[name])]),
    ],
    ui.group(
      'buttons',
      ui.link(path, 'Evidence sheet', isAsked ? { class: 'button' } : {}),
      dispute.status === 'open' &&
        mayDo(visit.member, 'payments.answer') &&
        ui.button(path, mark, { look: 'quiet', hidden }),
    ),
  ]);
}

export function disputeFacts(visit: MemberVisit, timeZone: string, dispute: Dispute): ui.Block {
  const { status, evidenceDueBy: dueBy, answeredAt } = dispute;
  const { money, moment } = createFormats(timeZone);
  const isOverdue = isToAnswer(dispute) && dueBy !== null && dueBy < visit.scope.clock.now();
  const deadline = dueBy === null ? 'The bank named no deadline.' : moment(dueBy);
  return ui.facts('facts', [
    ['Amount', money(dispute.amountCents)],
    ['Evidence due', ui.mark('strong', isOverdue ? `${deadline}. The deadline has passed.` : deadline)],
    ['Answer sent', answeredAt && moment(answeredAt)],
    ['Status', DISPUTE_STATUSES[status]],
    ['Opened', moment(dispute.createdAt)],
  ]);
}

/** Warns of a refund while a dispute is open. Open disputes take nothing, but a lost one would. */
export function disputeWarning({ disputes }: PaymentDetails): ui.Content {
  const isOpen = disputes.some(({ status }) => status === 'open');
  return isOpen && ui.text('A dispute is open. If you refund now and lose it, you pay twice.', { class: 'alert stop' });
}

/** Records that the answer to a dispute was sent, or that it was not. */
export async function answerDispute(visit: MemberVisit): Promise<Reply> {
  const { scope, params, fields } = visit;
  const { paidLinkId: linkId = '', disputeId = '' } = params;
  const isAnswered = fields.get('sent') === 'yes';
  await answerDisputeAsStaff(scope, staffOf(visit), visit.change, { linkId, disputeId, isAnswered });
  return { kind: 'redirect', to: visit.modePath(`/payments/${linkId}?done=${isAnswered ? 'answered' : 'saved'}`) };
}
