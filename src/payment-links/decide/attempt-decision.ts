import { transition } from '../../platform/base/state-machine.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { ATTEMPT } from '../model/transitions.ts';
import { type Draft, requireAttempt } from '../state/state.ts';

/** Records a new attempt, unless the link has another version than when its terms were read. */
export function beginAttempt(draft: Draft, version: number, attempt: PaymentAttempt): void {
  if (draft.state.link.version !== version) return;
  draft.put('attempts', attempt);
  draft.setLink({ openAttemptId: attempt.id });
}

/** Records the processor's reference of an attempt before the charge is confirmed. A closed attempt stays as it is. */
export function recordReference(draft: Draft, attemptId: string, reference: string): void {
  if (requireAttempt(draft.state, attemptId).status !== 'open') return;
  draft.setAttempt(attemptId, { processorReference: reference });
}

/** Closes the attempt, which the link then no longer names as open. Returns false if the table has no such transition. */
export function closeAttempt(
  draft: Draft,
  attemptId: string,
  event: 'accept' | 'accept_late' | 'fail' | 'cancel',
  now: Date,
): boolean {
  const status = transition(ATTEMPT, requireAttempt(draft.state, attemptId).status, event);
  if (status === null) return false;
  draft.setAttempt(attemptId, { status, closedAt: now, reconcileAt: null });
  if (draft.state.link.openAttemptId === attemptId) draft.setLink({ openAttemptId: null });
  draft.reports.push({ kind: 'attempt_closed', outcome: status });
  return true;
}

/** Abandons an open attempt. It is closed, but in doubt: `reconcile_attempts` still asks the processor for the outcome. */
export function abandon(draft: Draft, attemptId: string, now: Date): void {
  const { amountCents, reconcileAt } = requireAttempt(draft.state, attemptId);
  if (!closeAttempt(draft, attemptId, 'cancel', now)) return;
  draft.setAttempt(attemptId, { reconcileAt });
  const fields = { attemptId, paymentLinkId: draft.state.link.id };
  const mail = { kind: 'payment_abandoned', subjectId: attemptId, amountCents } as const;
  draft.alarm(fields, 'payment abandoned: its account is not connected any more', mail);
}
