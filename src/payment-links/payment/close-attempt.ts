import { fresh, type Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { queueAdminMail } from '../admin-mail/queue.ts';
import { closeAttempt, lockAttempt } from './locked-attempt.ts';

/* Changes of attempts without a snapshot: before the processor knows them, and when it cannot be asked. */

/**
 * Records the processor's reference, in a transaction of its own. Only then may the attempt be confirmed. So an attempt
 * without reference was never charged and can be closed without asking the processor.
 *
 * @returns true if the attempt may be confirmed; false if it was cancelled before
 */
export function recordReference(scope: Scope, attemptId: string, reference: string): Promise<boolean> {
  return inTransaction(fresh(scope), async (scope) => {
    const { attempt } = await lockAttempt(scope, attemptId);
    if (attempt.status !== 'open') return false;
    attempt.processorReference = reference;
    return true;
  });
}

/**
 * Closes an attempt that has no reference, in a transaction of its own. Nothing was charged, and nothing will be.
 *
 * @param event `fail` if the processor refused to begin the payment
 * @returns null if the attempt is closed; its reference if it has one by now, since it may have been confirmed by that
 */
export function closeUnregistered(scope: Scope, attemptId: string, event: 'fail' | 'cancel'): Promise<string | null> {
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const { attempt } = locked;
    if (attempt.processorReference !== null) return attempt.processorReference;
    if (closeAttempt(scope, locked, event) && event === 'fail') attempt.failureReason = 'not_accepted';
    return null;
  });
}

/**
 * Abandons an attempt that the processor cannot be asked about, so that its link can be cancelled or expire. Its
 * outcome is in doubt: the sweep goes on asking, and nobody can pay the link before there is an answer.
 */
export function abandonAttempt(scope: Scope, attemptId: string): Promise<void> {
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const { link, attempt } = locked;
    const { id: subjectId, amountCents, reconcileAt } = attempt;
    if (!closeAttempt(scope, locked, 'cancel')) return;
    attempt.reconcileAt = reconcileAt;
    scope.log.error({ attemptId, paymentLinkId: link.id }, 'payment abandoned: its account is not connected any more');
    await queueAdminMail(scope, link, { kind: 'payment_abandoned', subjectId, amountCents });
  });
}
