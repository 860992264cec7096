import type {
  SimulateDisputeRequest,
  SimulatePaymentLinkRequest,
  SimulateRefundRequest,
} from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import type { CallerScope, Scope } from '../../platform/base/scope.ts';
import { sandboxFeeCents } from '../../processors/sandbox-methods.ts';
import {
  closeDispute,
  findOpenDispute,
  openDispute,
  recordReversal,
  requireDisputedAmount,
  sumDisputable,
} from '../decide/dispute-decision.ts';
import { expire, payByCard, requireActive, returnDebit, settleDebit, submitDebit } from '../decide/link-decision.ts';
import { addRefund } from '../decide/refund-decision.ts';
import { amountToRefund, describeTakenBack, sumRefundable } from '../decide/refundable.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { audited } from '../state/acts.ts';
import type { Draft, LinkState, TransactionState } from '../state/state.ts';
import { type ChangeLink, separately } from '../store/change.ts';
import { linkRef, linkRefForKey } from '../store/port.ts';
import { parseAmountCents } from './input.ts';

/* Simulations on test links, by the decisions about real payments: their outcome, and what banks and the practice do after the payment. */

export type SimulatedOutcome = SimulatePaymentLinkRequest['outcome'];

const CARD = { type: 'card', brand: 'visa', last4: '4242', attemptId: null } as const;
const BANK_ACCOUNT = { type: 'us_bank_account', brand: null, last4: '6789', attemptId: null, feeCents: null } as const;

/** Simulates an outcome on a test link for the API. @throws ApiError `test_mode_only`, `not_found`, `link_not_active` */
export async function simulateLink(
  scope: CallerScope,
  change: ChangeLink,
  id: string,
  outcome: SimulatedOutcome,
): Promise<LinkState> {
  if (!scope.caller.test) throw new ApiError('test_mode_only');
  const now = scope.clock.now();
  const ref = linkRefForKey(scope.caller, id);
  const decide = audited((draft) => simulate(draft, outcome, now));
  return (await change(scope, ref, decide)).after;
}

/** Simulates an outcome on the test link of a hosted page. @throws ApiError `not_found`, `link_not_active` */
export async function simulateOnPage(scope: Scope, token: string, outcome: SimulatedOutcome): Promise<void> {
  const now = scope.clock.now();
  const link = await scope.em.findOne(PaymentLink, { token }, { fields: ['id'] });
  if (link === null) throw new ApiError('not_found');
  await separately.change(scope, linkRef(link.id), (draft) => simulate(draft, outcome, now));
}

/** Decides on a simulated outcome. A live link counts as not found: only test links are simulated. */
function simulate(draft: Draft, outcome: SimulatedOutcome, now: Date): void {
  const { link } = draft.state;
  if (!link.test) throw new ApiError('not_found');
  requireActive(link, now);
  const fee = (type: 'card' | 'us_bank_account') => sandboxFeeCents(type, link.amountCents);
  switch (outcome) {
    case 'expired':
      expire(draft, 'simulated', now);
      return;
    case 'paid':
      payByCard(draft, { ...CARD, feeCents: fee('card') }, now);
      return;
    case 'processing':
    case 'processing_then_paid':
    case 'failed':
      submitDebit(draft, BANK_ACCOUNT, now);
      if (outcome === 'processing_then_paid') settleDebit(draft, fee('us_bank_account'), now);
      if (outcome === 'failed') returnDebit(draft, 'insufficient_funds', now);
      return;
    default:
      outcome satisfies never;
      throw new Error('the contract names an outcome that cannot be simulated');
  }
}

/** Largest number of refunds of a test link. Every event of a link shows all its refunds. */
const MAX_REFUNDS = 100;

/** Time until evidence is due in a simulated dispute, as banks usually give. */
const EVIDENCE_MS = 21 * 86_400_000;

/** Checks a request that the contract's schema has accepted. @throws ApiError `validation_error` for `amount` */
export function parseRefundInput({ amount, outcome }: SimulateRefundRequest = {}) {
  return { amountCents: centsOrAll(amount), outcome: outcome ?? 'succeeded' };
}

/** Checks a request that the contract's schema has accepted. @throws ApiError `validation_error` for `amount` */
export function parseDisputeInput({ amount, reason }: SimulateDisputeRequest = {}) {
  return { amountCents: centsOrAll(amount), reason: reason ?? 'fraudulent' };
}

/** Returns null for all that is left of the payment. */
function centsOrAll(amount: number | null | undefined): number | null {
  return amount == null ? null : parseAmountCents(amount);
}

type SimulatedRefund = ReturnType<typeof parseRefundInput>;

type SimulatedDispute = ReturnType<typeof parseDisputeInput>;

/** Refunds the payment of a test link. A refund that fails publishes no event, like a failed refund of a real payment. */
export function refundTestLink(scope: CallerScope, id: string, { amountCents, outcome }: SimulatedRefund) {
  return changeTestLink(scope, id, 'refund', (draft, now) => {
    const { state } = draft;
    requireRefundable(state);
    if (state.refunds.length >= MAX_REFUNDS)
      throw stateConflict(`A test link can have at most ${MAX_REFUNDS} refunds.`);
    const cents = amountToRefund(state, amountCents);
    const input = { amountCents: cents, reason: null, processorReference: null };
    addRefund(draft, input, outcome, now);
  });
}

export function disputeTestLink(scope: CallerScope, id: string, { amountCents, reason }: SimulatedDispute) {
  return changeTestLink(scope, id, 'dispute', (draft, now) => {
    const { state } = draft;
    requireSettled(state);
    if (findOpenDispute(state) !== null) throw stateConflict('A dispute of this link is open already. Close it first.');
    const leftCents = sumDisputable(state);
    if (leftCents === 0) throw stateConflict(`${describeTakenBack(state)} Nothing is left to dispute.`);
    const disputedCents = amountCents ?? leftCents;
    requireDisputedAmount(state, disputedCents);
    const evidenceDueBy = new Date(now.getTime() + EVIDENCE_MS);
    openDispute(draft, { reason, amountCents: disputedCents, evidenceDueBy }, null, now);
  });
}

export function closeTestDispute(scope: CallerScope, id: string, outcome: 'won' | 'lost') {
  return changeTestLink(scope, id, 'dispute_closing', (draft, now) => {
    const dispute = findOpenDispute(draft.state);
    if (dispute === null) throw stateConflict('The link has no open dispute.');
    closeDispute(draft, dispute, outcome, now);
  });
}

/** Simulates that the bank reverses the settled debit of a test link. It takes what is left of it, which becomes a refund. */
export function reverseTestLink(scope: CallerScope, id: string) {
  return changeTestLink(scope, id, 'bank_reversal', (draft, now) => {
    const transaction = requireRefundable(draft.state);
    if (transaction.paymentMethodType !== 'us_bank_account') {
      throw stateConflict(
        'Banks reverse debits only. Simulate the outcome processing_then_paid to get a settled debit.',
      );
    }
    const reversal = { reference: `simulated:${transaction.id}`, amountCents: sumRefundable(draft.state) };
    recordReversal(draft, reversal, now);
  });
}

/** @throws ApiError `test_mode_only`, `not_found`; errors of `decide`: `payment_state_conflict`, and `validation_error` if less is left */
async function changeTestLink(
  scope: CallerScope,
  id: string,
  step: 'refund' | 'dispute' | 'dispute_closing' | 'bank_reversal',
  decide: (draft: Draft, now: Date) => void,
): Promise<LinkState> {
  if (!scope.caller.test) throw new ApiError('test_mode_only');
  const { practiceId } = scope.caller;
  const target = { kind: 'payment_link', id };
  const act = { practiceId, action: 'link.simulated', target, after: { step } };
  const { after } = await separately.change(scope, linkRefForKey(scope.caller, id), (draft) => {
    decide(draft, scope.clock.now());
    draft.acts.push(act);
  });
  return after;
}

/** Returns the payment if it can be refunded. @throws ApiError `payment_state_conflict` */
function requireRefundable(state: LinkState): TransactionState {
  const transaction = requireSettled(state);
  if (sumRefundable(state) > 0) return transaction;
  const takenBack = describeTakenBack(state);
  throw stateConflict(`${takenBack ?? 'The payment was refunded in full.'} Nothing is left to refund.`);
}

/** Returns the payment if it has settled. @throws ApiError `payment_state_conflict` */
function requireSettled({ transaction: payment }: LinkState): TransactionState {
  if (payment?.status === 'succeeded' || payment?.status === 'refunded') return payment;
  throw stateConflict(NOT_SETTLED[payment?.status ?? 'unpaid']);
}

const NOT_SETTLED = {
  unpaid: 'The link has no payment. Simulate one first, with the outcome paid or processing_then_paid.',
  pending: 'The debit has not settled yet. Simulate the outcome processing_then_paid to get a settled one.',
  failed: 'The bank returned the debit, so the practice has no money to give back.',
};

function stateConflict(message: string): ApiError {
  return new ApiError('payment_state_conflict', { message });
}
