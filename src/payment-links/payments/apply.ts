import { fresh, type Scope } from '../../platform/base/scope.ts';
import type {
  Account,
  DisputeSnapshot,
  PaymentSnapshot,
  Processor,
  RefundSnapshot,
} from '../../processors/processor.ts';
import { abandon, closeAttempt } from '../decide/attempt-decision.ts';
import { applyDisputeSnapshot } from '../decide/dispute-decision.ts';
import { applyPaymentSnapshot } from '../decide/payment-decision.ts';
import { applyRefundSnapshots } from '../decide/refund-decision.ts';
import type { Refund } from '../model/after-payment.entity.ts';
import { type AttemptState, findTransaction, type LinkState, requireAttempt } from '../state/state.ts';
import { type Decide, type Links, readLink } from '../store/change.ts';
import { attemptRef, type LinkRead } from '../store/port.ts';

/* Changes of a link by what the processor reports. Each is a separate database transaction, and throws AttemptNotFound for an unknown attempt. */

export interface PaymentScope extends Scope, Links {
  processor: Processor;
}

/** Reads an attempt as it is now. @throws AttemptNotFound */
export async function readAttempt(scope: PaymentScope, attemptId: string): Promise<AttemptState> {
  return requireAttempt(await readLink(fresh(scope), attemptRef(attemptId), scope.store), attemptId);
}

export type Outcome = 'accepted' | 'failed' | 'cancelled';

interface AppliedPayment {
  attempt: AttemptState;
  /** Outcome that the attempt got by the snapshot. Null if it still has none, or had the same outcome before. */
  outcomeChange: Outcome | null;
  /** End of a pending debit. Null if the debit is still pending, or if no debit was pending before the snapshot. */
  debitChange: 'settled' | 'returned' | null;
}

/** Applies the snapshot of a payment. Returns null for a payment that names no attempt of ours. */
export async function applyPayment(
  scope: PaymentScope,
  account: Account,
  snapshot: PaymentSnapshot,
  priorRead: LinkRead | null = null,
): Promise<AppliedPayment | null> {
  const { attemptId } = snapshot;
  if (attemptId === null) return null;
  const decide: Decide = (draft) =>
    applyPaymentSnapshot(draft, account, { attemptId, snapshot, now: scope.clock.now() });
  const { before, after } = await scope.change(fresh(scope), attemptRef(attemptId), decide, { priorRead });
  const attempt = requireAttempt(after, attemptId);
  const outcome = readOutcome(attempt);
  return {
    attempt,
    outcomeChange: outcome === readOutcome(requireAttempt(before, attemptId)) ? null : outcome,
    debitChange: readDebitChange(before, after, attemptId),
  };
}

/** Returns the outcome of an attempt; null while the attempt is open or in doubt. */
export function readOutcome({ status, closedAt, reconcileAt }: AttemptOutcome): Outcome | null {
  const isInDoubt = closedAt !== null && reconcileAt !== null;
  return status === 'open' || status === 'requires_action' || isInDoubt ? null : status;
}

export type AttemptOutcome = Pick<AttemptState, 'status' | 'closedAt' | 'reconcileAt'>;

function readDebitChange(before: LinkState, after: LinkState, id: string): AppliedPayment['debitChange'] {
  const status = findTransaction(after, { id })?.status;
  if (findTransaction(before, { id })?.status !== 'pending' || status === 'pending') return null;
  return status === 'failed' ? 'returned' : 'settled';
}

/**
 * Closes a payment attempt that has no reference. Nothing was charged, and nothing will be. `isChanged` is false if the attempt was closed
 * before, or if it has a `reference` by now: the payment may have been confirmed with it.
 */
export async function closeUnregistered(
  scope: PaymentScope,
  attemptId: string,
  event: 'fail' | 'cancel',
): Promise<{ reference: string | null; isChanged: boolean }> {
  const { before, after } = await scope.change(fresh(scope), attemptRef(attemptId), (draft) => {
    if (requireAttempt(draft.state, attemptId).processorReference !== null) return;
    const isClosed = closeAttempt(draft, attemptId, event, scope.clock.now());
    if (isClosed && event === 'fail') draft.setAttempt(attemptId, { failureReason: 'not_accepted' });
  });
  const { processorReference: reference, status } = requireAttempt(after, attemptId);
  return { reference, isChanged: status !== requireAttempt(before, attemptId).status };
}

/** Abandons an attempt about which the processor cannot be asked, so that its link can be cancelled or expire. Returns false if it was closed. */
export async function abandonAttempt(scope: PaymentScope, attemptId: string): Promise<boolean> {
  const { before, after } = await scope.change(fresh(scope), attemptRef(attemptId), (draft) =>
    abandon(draft, attemptId, scope.clock.now()),
  );
  return requireAttempt(after, attemptId).status !== requireAttempt(before, attemptId).status;
}

/** Applies snapshots of refunds by one change of the link. Returns the refunds that are new or moved, except records of bank reversals. */
export async function applyRefunds(
  scope: PaymentScope,
  attemptId: string,
  snapshots: readonly RefundSnapshot[],
  versionWhenAsked?: number,
): Promise<Refund[]> {
  const { before, after } = await scope.change(fresh(scope), attemptRef(attemptId), (draft) =>
    applyRefundSnapshots(draft, attemptId, snapshots, scope.clock.now(), versionWhenAsked),
  );
  const statesBefore = new Map(before.refunds.map(({ id, status }) => [id, status]));
  return after.refunds.filter(
    ({ id, status, bankReversalId }) => bankReversalId === null && status !== statesBefore.get(id),
  );
}

/** Applies the snapshot of a dispute. Returns what was recorded; null if nothing has changed. */
export async function applyDispute(
  scope: PaymentScope,
  attemptId: string,
  snapshot: DisputeSnapshot,
): Promise<'dispute' | 'bank_reversal' | null> {
  const { before, after } = await scope.change(fresh(scope), attemptRef(attemptId), (draft) =>
    applyDisputeSnapshot(draft, attemptId, snapshot, scope.clock.now()),
  );
  if (after.reversals !== before.reversals) return 'bank_reversal';
  return after.disputes === before.disputes ? null : 'dispute';
}
