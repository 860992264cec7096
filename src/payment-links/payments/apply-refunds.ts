import { CURRENCY } from '../../platform/base/money.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import type { Account, RefundSnapshot } from '../../processors/processor.ts';
import { applyRefundSnapshots } from '../decide/refund-decision.ts';
import type { Refund } from '../model/refund.entity.ts';
import { type ChangeLink, readLink } from '../store/change.ts';
import { attemptRef } from '../store/port.ts';
import type { PaymentDependencies } from './apply-payment.ts';

/** A payment with its account and references at the processor. */
export interface SettledPayment {
  account: Account;
  attemptId: string;
  reference: string;
}

/**
 * Asks the processor for all refunds of a payment and applies them. If none has changed, nothing is written.
 *
 * @param onChange called for each refund that is recorded or moves its status, after the commit
 * @throws ProcessorUnavailable
 */
export async function syncRefunds(
  scope: Scope,
  { processor, change, store }: PaymentDependencies,
  payment: SettledPayment,
  onChange: () => void = () => {},
): Promise<void> {
  const { link, refunds: recorded } = await readLink(scope, attemptRef(payment.attemptId), store);
  const reported = await processor.retrieveRefunds(payment.account, payment.reference);
  // A refund moves forward only, so a change after the read is newer than the snapshots.
  const isRecorded = ({ reference, state, amountCents, currency }: RefundSnapshot) =>
    reference !== null &&
    currency === CURRENCY &&
    recorded.some(
      (refund) =>
        refund.processorReference === reference && refund.status === state && refund.amountCents === amountCents,
    );
  const snapshots = reported.filter((snapshot) => !isRecorded(snapshot));
  if (snapshots.length === 0) return;
  for (const _ of await applyRefunds(scope, payment.attemptId, snapshots, link.version, change)) onChange();
}

/**
 * Resolves pending refunds without a reference: a process died, or the processor's answer was lost. Looks for each in the
 * processor's list, and requests it again if it is missing there. A repeated request alone could refund twice, because
 * processors forget idempotency keys after a day.
 *
 * @param onChange called for each refund that moves its status, after the commit
 * @throws ProcessorUnavailable
 */
export async function repeatRefunds(
  scope: Scope,
  { processor, change, store }: PaymentDependencies,
  payment: SettledPayment,
  onChange: () => void,
): Promise<void> {
  const { refunds } = await readLink(scope, attemptRef(payment.attemptId), store);
  const unanswered = refunds.filter(
    ({ status, processorReference }) => status === 'pending' && processorReference === null,
  );
  if (unanswered.length === 0) return;
  const { account, reference: paymentReference } = payment;
  const reported = await processor.retrieveRefunds(account, paymentReference);
  for (const { id: refundId, amountCents } of unanswered) {
    const snapshot =
      reported.find((one) => one.refundId === refundId) ??
      (await processor.refund({ account, paymentReference, refundId, amountCents }));
    for (const _ of await applyRefunds(scope, payment.attemptId, [snapshot], undefined, change)) onChange();
  }
}

/**
 * Applies snapshots of refunds by one change of the link.
 *
 * @param versionWhenAsked version of the link before the processor was asked; unset for the answer to a request of ours
 * @returns refunds that were recorded or have changed their status, except records of a bank reversal
 * @throws AttemptNotFound
 */
export async function applyRefunds(
  scope: Scope,
  attemptId: string,
  snapshots: readonly RefundSnapshot[],
  versionWhenAsked: number | undefined,
  change: ChangeLink,
): Promise<Refund[]> {
  const { before, after } = await change(fresh(scope), attemptRef(attemptId), (draft) =>
    applyRefundSnapshots(draft, attemptId, snapshots, scope.clock.now(), versionWhenAsked),
  );
  const statesBefore = new Map(before.refunds.map(({ id, status }) => [id, status]));
  return after.refunds.filter(
    ({ id, status, bankReversalId }) => bankReversalId === null && status !== statesBefore.get(id),
  );
}
