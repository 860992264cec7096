import { raw } from '@mikro-orm/postgresql';
import { report } from '../../base/diagnostics.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { afterCommit, inPlace, inTransaction } from '../../database/query/transaction.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { lockWhere } from '../link/lock.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT, type AttemptStatus } from '../model/transitions.ts';

/** The attempt is not in our database: it belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/** A payment attempt with its link and transaction, under the row lock of the link. */
export interface LockedAttempt {
  link: PaymentLink;
  attempt: PaymentAttempt;
  transaction: Transaction | null;
}

/** Locks the link of an attempt, then loads the attempt and its transaction. @throws AttemptNotFound */
export async function lockAttempt(scope: Scope, attemptId: string): Promise<LockedAttempt> {
  // An attempt never moves to another link, so its id may be read before the lock.
  const id = raw('(select payment_link_id from payment_attempts where id = ?)', [attemptId]);
  const link = await lockWhere(scope, { id: { $eq: id } });
  if (link === null) throw new AttemptNotFound();
  // Everything else is read under the lock.
  const attempt = await scope.em.findOneOrFail(PaymentAttempt, { id: attemptId });
  // Only an accepted attempt has made a transaction.
  const transaction = attempt.status === 'accepted' ? await scope.em.findOne(Transaction, { attemptId }) : null;
  return { link, attempt, transaction };
}

/** A link and its attempt, as entities under the lock or as plain data. */
interface Closable {
  link: Pick<PaymentLink, 'openAttemptId'>;
  attempt: Pick<PaymentAttempt, 'id' | 'status' | 'closedAt' | 'reconcileAt'>;
}

/** Event that closes an attempt. */
type Closing = 'accept' | 'accept_late' | 'fail' | 'cancel';

/**
 * Closes the attempt and frees its link, in the scope's transaction. Reports the outcome once that has committed.
 *
 * @returns false if the table has no such transition: nothing changes
 */
export function closeAttempt(scope: Scope, { link, attempt }: LockedAttempt, event: Closing): boolean {
  if (!markClosed(scope, { link, attempt }, event)) return false;
  const { status } = attempt;
  afterCommit(scope, () => reportClosed(status));
  return true;
}

/** Reports the outcome of an attempt, its status once it is closed. Call it after the commit. */
export function reportClosed(outcome: AttemptStatus): void {
  report('payment_attempt_closed', () => ({ outcome }));
}

/** Marks the attempt as closed and its link as free. @returns false if the table has no such transition: nothing changes */
export function markClosed(scope: Scope, { link, attempt }: Closable, event: Closing): boolean {
  const to = transition(ATTEMPT, attempt.status, event);
  if (to === null) return false;
  attempt.status = to;
  attempt.closedAt = scope.clock.now();
  attempt.reconcileAt = null;
  if (link.openAttemptId === attempt.id) link.openAttemptId = null;
  return true;
}

/* Changes of attempts without a snapshot: before the processor knows them, and when it cannot be asked. */

/**
 * Records the processor's reference, in one statement. Only then may the attempt be confirmed. So an attempt
 * without reference was never charged and can be closed without asking the processor.
 *
 * @returns true if the attempt may be confirmed; false if it was cancelled before
 */
export function recordReference(scope: Scope, attemptId: string, reference: string): Promise<boolean> {
  const statusBefore: AttemptStatus = 'open';
  return inPlace(fresh(scope), async ({ em }) => {
    // The attempt is updated after the link is locked, and its status is then the present one.
    const recorded = await sql(
      em,
      `with link as (
         select id from payment_links where id = (select payment_link_id from payment_attempts where id = $1) for update
       )
       update payment_attempts a set processor_reference = $2
       from link where a.id = $1 and a.payment_link_id = link.id and a.status = $3
       returning a.id`,
      [attemptId, reference, statusBefore],
      { keepPlan: true },
    );
    return recorded.length > 0;
  });
}

/**
 * Closes a payment attempt that has no reference, in a database transaction of its own. Nothing was charged, and nothing will be.
 *
 * @param event `fail` if the processor refused to begin the payment
 * @returns the reference if the attempt has one by now, since it may have been confirmed by that. `isChanged` is false if the
 *   attempt has a reference, or was closed before
 */
export function closeUnregistered(
  scope: Scope,
  attemptId: string,
  event: 'fail' | 'cancel',
): Promise<{ reference: string | null; isChanged: boolean }> {
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const { attempt } = locked;
    if (attempt.processorReference !== null) return { reference: attempt.processorReference, isChanged: false };
    const isChanged = closeAttempt(scope, locked, event);
    if (isChanged && event === 'fail') attempt.failureReason = 'not_accepted';
    return { reference: null, isChanged };
  });
}

/**
 * Abandons a payment attempt that the processor cannot be asked about, so that its link can be cancelled or expire. Its
 * outcome is in doubt: `reconcile_attempts` goes on asking, and the link cannot be paid before there is an answer.
 *
 * @returns false if the attempt is closed already: nothing changes
 */
export function abandonAttempt(scope: Scope, attemptId: string): Promise<boolean> {
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const { link, attempt } = locked;
    const { id: subjectId, amountCents, reconcileAt } = attempt;
    if (!closeAttempt(scope, locked, 'cancel')) return false;
    attempt.reconcileAt = reconcileAt;
    scope.log.error({ attemptId, paymentLinkId: link.id }, 'payment abandoned: its account is not connected any more');
    await queuePaymentMail(scope, link, { kind: 'payment_abandoned', subjectId, amountCents });
    return true;
  });
}
