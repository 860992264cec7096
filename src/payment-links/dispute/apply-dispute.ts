import { fresh, type Scope } from '../../base/scope.ts';
import type { Account, DisputeSnapshot } from '../../processors/processor.ts';
import { applyPayment, type PaymentDependencies } from '../payment/apply-payment.ts';
import { type SettledPayment, syncRefunds } from '../refund/apply-refunds.ts';
import { type Change, change } from '../store/change.ts';
import { refOfAttempt } from '../store/port.ts';
import { applyDisputeSnapshot } from './dispute-decision.ts';

/**
 * Applies the snapshot of a dispute, in a separate database transaction.
 *
 * @returns what was recorded; null if nothing has changed
 * @throws AttemptNotFound
 */
export async function applyDispute(
  scope: Scope,
  attemptId: string,
  snapshot: DisputeSnapshot,
  by: Change = change,
): Promise<'dispute' | 'bank_reversal' | null> {
  const { before, after } = await by(fresh(scope), refOfAttempt(attemptId), (draft) =>
    applyDisputeSnapshot(draft, attemptId, snapshot, scope.clock.now()),
  );
  if (after.reversals !== before.reversals) return 'bank_reversal';
  return after.disputes === before.disputes ? null : 'dispute';
}

/**
 * Asks the processor for a dispute and applies it. Applies its payment and refunds first. The notification of a dispute
 * may arrive before that of its payment, and the amount of a reversal depends on earlier refunds.
 *
 * @throws ProcessorUnavailable, AttemptNotFound
 */
export async function syncDispute(
  scope: Scope,
  dependencies: PaymentDependencies,
  account: Account,
  reference: string,
): Promise<void> {
  const { processor, change } = dependencies;
  const dispute = await processor.retrieveDispute(account, reference);
  if (dispute === null) return;
  const payment = await processor.retrieve(account, dispute.paymentReference);
  const applied = payment === null ? null : await applyPayment(scope, account, payment, change);
  if (applied === null) return;
  const { attempt } = applied;
  if (payment?.state === 'succeeded' && attempt.status === 'accepted') {
    const settled = { account, attemptId: attempt.id, reference: dispute.paymentReference };
    await syncRefunds(scope, dependencies, settled);
  }
  await applyDispute(scope, attempt.id, dispute, change);
}

/**
 * Asks the processor for all disputes of a payment and applies them.
 *
 * @param onChange called for each dispute or bank reversal that is recorded or moves its status, after the commit
 * @throws ProcessorUnavailable
 */
export async function syncDisputes(
  scope: Scope,
  { processor, change }: PaymentDependencies,
  { account, attemptId, reference }: SettledPayment,
  onChange: (recorded: 'dispute' | 'bank_reversal') => void,
): Promise<void> {
  for (const dispute of await processor.retrieveDisputes(account, reference)) {
    const recorded = await applyDispute(scope, attemptId, dispute, change);
    if (recorded !== null) onChange(recorded);
  }
}
