import { fresh, type Scope } from '../../base/scope.ts';
import type { Account, PaymentSnapshot } from '../../processors/processor.ts';
import type { AttemptState, LinkState } from '../link/state.ts';
import { type Change, change } from '../store/change.ts';
import { type Read, refOfAttempt } from '../store/port.ts';
import { attemptOf, transactionOf } from './attempt-decision.ts';
import { paymentReported } from './payment-decision.ts';

/** Outcome of a payment attempt. */
export type Outcome = 'accepted' | 'failed' | 'cancelled';

/** A payment attempt after a snapshot was applied. */
export interface AppliedPayment {
  attempt: AttemptState;
  /** Outcome that the attempt got by the snapshot. Null if it still has none, or had the same outcome before. */
  outcomeChange: Outcome | null;
  /** End of a pending debit. Null if the debit is still pending, or if no debit was pending before the snapshot. */
  debitChange: 'settled' | 'returned' | null;
}

/**
 * Applies the snapshot of a payment: the processor's answer to a charge, or to a later question.
 *
 * @param by changes the link; by default, with statements that it does not share
 * @param known the link as an earlier change left it
 * @returns null for a payment that names no attempt of ours
 * @throws AttemptNotFound for an unknown attempt
 */
export async function applyPayment(
  scope: Scope,
  account: Account,
  snapshot: PaymentSnapshot,
  by: Change = change,
  known: Read | null = null,
): Promise<AppliedPayment | null> {
  const { attemptId } = snapshot;
  if (attemptId === null) return null;
  const { before, after } = await by(
    fresh(scope),
    refOfAttempt(attemptId),
    (state) => paymentReported(state, attemptId, account, snapshot, scope.clock.now()),
    { known },
  );
  const attempt = attemptOf(after, attemptId);
  const outcome = outcomeOf(attempt);
  return {
    attempt,
    outcomeChange: outcome === outcomeOf(attemptOf(before, attemptId)) ? null : outcome,
    debitChange: debitChange(statusOf(before, attemptId), statusOf(after, attemptId)),
  };
}

/** Returns the outcome of an attempt; null while the attempt is open or in doubt. */
export function outcomeOf({
  status,
  closedAt,
  reconcileAt,
}: Pick<AttemptState, 'status' | 'closedAt' | 'reconcileAt'>): Outcome | null {
  const isInDoubt = closedAt !== null && reconcileAt !== null;
  return status === 'open' || status === 'requires_action' || isInDoubt ? null : status;
}

function statusOf(state: LinkState, attemptId: string) {
  return transactionOf(state, { id: attemptId })?.status;
}

function debitChange(
  before: ReturnType<typeof statusOf>,
  after: ReturnType<typeof statusOf>,
): AppliedPayment['debitChange'] {
  if (before !== 'pending' || after === 'pending') return null;
  return after === 'failed' ? 'returned' : 'settled';
}
