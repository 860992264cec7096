import { fresh, type Scope } from '../../platform/base/scope.ts';
import type { DisputeSnapshot } from '../../processors/processor.ts';
import { applyDisputeSnapshot } from '../decide/dispute-decision.ts';
import type { ChangeLink } from '../store/change.ts';
import { attemptRef } from '../store/port.ts';
import type { PaymentDependencies } from './apply-payment.ts';
import type { SettledPayment } from './apply-refunds.ts';

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
  change: ChangeLink,
): Promise<'dispute' | 'bank_reversal' | null> {
  const { before, after } = await change(fresh(scope), attemptRef(attemptId), (draft) =>
    applyDisputeSnapshot(draft, attemptId, snapshot, scope.clock.now()),
  );
  if (after.reversals !== before.reversals) return 'bank_reversal';
  return after.disputes === before.disputes ? null : 'dispute';
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
