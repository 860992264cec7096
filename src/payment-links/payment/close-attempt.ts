import { fresh, type Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { queueAdminMail } from '../admin-mail/queue.ts';
import { closeAttempt, lockAttempt } from './locked-attempt.ts';

/* What becomes of attempts beside what the processor says of them: before it knows them, and when it can't be asked. */

/**
 * Puts the processor's reference on record, in a transaction of its own. An attempt may be confirmed only after that:
 * then whoever finds one without reference knows that nothing was charged, and may close it without asking.
 *
 * @returns whether it may be confirmed; false when it was called off meanwhile
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
 * Closes an attempt that has no reference, in a transaction of its own: nothing was charged, nor will be.
 *
 * @param event fail when the processor refused to begin it
 * @returns the reference that it got meanwhile, and by which it may have been confirmed; else null, and it is closed
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
 * Closes an attempt of which nothing can be learnt, so that its link may be cancelled and expire. What became of it is
 * in doubt then: the sweep goes on asking, and the link can't be paid again before there is an answer.
 */
export function abandonAttempt(scope: Scope, attemptId: string): Promise<void> {
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const { link, attempt } = locked;
    const { id: subjectId, amountCents, reconcileAt } = attempt;
    if (!closeAttempt(scope, locked, 'cancel')) return;
    attempt.reconcileAt = reconcileAt;
    scope.log.error({ attemptId, paymentLinkId: link.id }, 'payment given up: its account is not ours any more');
    await queueAdminMail(scope, link, { kind: 'payment_abandoned', subjectId, amountCents });
  });
}
