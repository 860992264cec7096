import { ApiError } from '../../base/errors.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import type { DisputeSnapshot } from '../../processors/processor.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import { change } from '../store/change.ts';
import { refForOperator, refOfAttempt } from '../store/port.ts';
import {
  disputable,
  disputeClosed,
  disputeOpened,
  disputeReported,
  type NewDispute,
  openDisputeOf,
} from './dispute-decision.ts';

/**
 * Applies the snapshot of a dispute, in a database transaction of its own.
 *
 * @returns what was recorded; null if nothing has changed
 * @throws AttemptNotFound
 */
export async function applyDispute(
  scope: Scope,
  attemptId: string,
  snapshot: DisputeSnapshot,
): Promise<'dispute' | 'bank_reversal' | null> {
  const { before, after } = await change(fresh(scope), refOfAttempt(attemptId), (state) =>
    disputeReported(state, attemptId, snapshot, scope.clock.now()),
  );
  if (after.reversals !== before.reversals) return 'bank_reversal';
  return after.disputes === before.disputes ? null : 'dispute';
}

/** Opens a dispute on a test link, whose payment no processor knows. @throws ApiError as `disputable` */
export async function openDispute(scope: Scope, linkId: string, input: NewDispute): Promise<Dispute> {
  const { after } = await change(fresh(scope), refForOperator(linkId), (state) => {
    disputable(state, input);
    return disputeOpened(state, input, null, scope.clock.now());
  });
  const dispute = after.disputes.at(-1);
  if (dispute === undefined) throw new Error('an opened dispute belongs to the state');
  return dispute;
}

/** Closes the open dispute of a test link. @throws ApiError `not_found` when there is none */
export async function closeDispute(scope: Scope, linkId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
  const { before, after } = await change(fresh(scope), refForOperator(linkId), (state) => {
    const dispute = openDisputeOf(state);
    if (dispute === null) throw noOpenDispute();
    return disputeClosed(state, dispute, outcome, scope.clock.now());
  });
  const closed = after.disputes.find((dispute) => !before.disputes.includes(dispute));
  if (closed === undefined) throw new Error('a closed dispute has changed');
  return closed;
}

/** Returns the error for a link without open dispute. */
export function noOpenDispute(): ApiError {
  return new ApiError('not_found', { message: 'The link has no open dispute.' });
}
