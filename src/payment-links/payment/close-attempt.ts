import { fresh, type Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { inPlace } from '../../database/query/transaction.ts';
import type { AttemptStatus } from '../model/transitions.ts';
import { change } from '../store/change.ts';
import { linkOfAttempt } from '../store/port.ts';
import { abandoned, attemptOf, unregisteredClosed } from './attempt-decision.ts';

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
export async function closeUnregistered(
  scope: Scope,
  attemptId: string,
  event: 'fail' | 'cancel',
): Promise<{ reference: string | null; isChanged: boolean }> {
  const { before, after } = await change(fresh(scope), linkOfAttempt(attemptId), (state) =>
    unregisteredClosed(state, attemptId, event, scope.clock.now()),
  );
  const { processorReference: reference, status } = attemptOf(after, attemptId);
  return { reference, isChanged: status !== attemptOf(before, attemptId).status };
}

/**
 * Abandons a payment attempt that the processor cannot be asked about, so that its link can be cancelled or expire. Its
 * outcome is in doubt: `reconcile_attempts` goes on asking, and the link cannot be paid before there is an answer.
 *
 * @returns false if the attempt is closed already: nothing changes
 */
export async function abandonAttempt(scope: Scope, attemptId: string): Promise<boolean> {
  const { before, after } = await change(fresh(scope), linkOfAttempt(attemptId), (state) =>
    abandoned(state, attemptId, scope.clock.now()),
  );
  return attemptOf(after, attemptId).status !== attemptOf(before, attemptId).status;
}
