import { fresh, type Scope } from '../../base/scope.ts';
import { change } from '../store/change.ts';
import { refOfAttempt } from '../store/port.ts';
import { abandoned, attemptOf, unregisteredClosed } from './attempt-decision.ts';

/* Ends of attempts without a snapshot: the processor does not know the payment, or cannot be asked. */

/**
 * Closes a payment attempt that has no reference. Nothing was charged, and nothing will be.
 *
 * @param event `fail` if the processor refused to begin the payment
 * @returns `reference`, if the attempt has one by now: the payment may have been confirmed with it. `isChanged` is false if the
 *   attempt has a reference, or was closed before
 */
export async function closeUnregistered(
  scope: Scope,
  attemptId: string,
  event: 'fail' | 'cancel',
): Promise<{ reference: string | null; isChanged: boolean }> {
  const { before, after } = await change(fresh(scope), refOfAttempt(attemptId), (state) =>
    unregisteredClosed(state, attemptId, event, scope.clock.now()),
  );
  const { processorReference: reference, status } = attemptOf(after, attemptId);
  return { reference, isChanged: status !== attemptOf(before, attemptId).status };
}

/**
 * Abandons a payment attempt about which the processor cannot be asked, so that its link can be cancelled or expire. Its
 * outcome is in doubt: `reconcile_attempts` still asks, and the link cannot be paid before there is an answer.
 *
 * @returns false if the attempt is closed already: nothing changes
 */
export async function abandonAttempt(scope: Scope, attemptId: string): Promise<boolean> {
  const { before, after } = await change(fresh(scope), refOfAttempt(attemptId), (state) =>
    abandoned(state, attemptId, scope.clock.now()),
  );
  return attemptOf(after, attemptId).status !== attemptOf(before, attemptId).status;
}
