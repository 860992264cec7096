import { ApiError } from '../../platform/base/errors.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import type { SandboxBank } from '../../processors/sandbox-bank.ts';
import { type NewDispute, requireDisputable } from '../decide/dispute-decision.ts';
import { findPayingAttempt } from '../decide/refund-decision.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import { getAccount } from '../model/payment-attempt.entity.ts';
import { syncDispute } from '../payments/sync.ts';
import type { LinkState } from '../state/state.ts';
import { refundView } from '../state/views.ts';
import { readLink, separately } from '../store/change.ts';
import { linkRef } from '../store/port.ts';

/*
 * Disputes of live links that an operator opens and closes in place of a patient's bank, at the sandbox. The service does not wait for the
 * notification, because the operator wants to see the result at once.
 */

/** Opens a dispute, or a bank reversal if the reason is one of a bank return. @throws ApiError `not_found`, `validation_error` */
export function simulateDisputeOpening(scope: Scope, processor: Processor, linkId: string, input: NewDispute) {
  return actAsBank(scope, processor, linkId, async (bank, paymentReference, state) => {
    requireDisputable(state, input);
    return [await bank.openDispute(paymentReference, input)];
  });
}

/** Closes the open dispute of a link. @throws ApiError `not_found` when there is none */
export function simulateDisputeClosing(scope: Scope, processor: Processor, linkId: string, outcome: 'won' | 'lost') {
  return actAsBank(scope, processor, linkId, (bank, paymentReference) => bank.closeDispute(paymentReference, outcome));
}

/**
 * Lets the sandbox's bank act on the payment of a link, applies the disputes, and returns the dispute or refund that was made or changed.
 *
 * @param act returns the references of the disputes
 */
async function actAsBank(
  scope: Scope,
  processor: Processor,
  linkId: string,
  act: (bank: SandboxBank, paymentReference: string, state: LinkState) => Promise<readonly string[]>,
) {
  if (!isSandbox(processor)) throw new Error('disputes of real payments are opened and closed by banks');
  const before = await readLink(scope, linkRef(linkId), separately.store);
  const attempt = findPayingAttempt(before);
  if (!attempt?.processorReference) {
    const message = before.link.test
      ? 'The payment of a test link is simulated: use the test helpers of the API.'
      : 'The link has no payment that could be disputed.';
    throw new ApiError('validation_error', { param: 'link', message });
  }
  for (const reference of await act(processor.bank, attempt.processorReference, before))
    await syncDispute({ ...fresh(scope), processor, ...separately }, getAccount(attempt), reference);
  const after = await readLink(fresh(scope), linkRef(linkId), separately.store);
  const statuses = new Map([...before.disputes, ...before.refunds].map(({ id, status }) => [id, status]));
  const dispute = after.disputes.find(({ id, status }) => statuses.get(id) !== status);
  if (dispute !== undefined) return viewDispute(dispute);
  const refund = after.refunds.find(({ id }) => !statuses.has(id));
  if (refund !== undefined) return refundView(refund);
  throw new ApiError('not_found', { message: 'The link has no open dispute.' });
}

function viewDispute(dispute: Dispute) {
  const { id, paymentLinkId, status, reason, amountCents, evidenceDueBy, createdAt, closedAt } = dispute;
  return {
    id,
    paymentLinkId,
    status,
    reason,
    amount: dollarsFromCents(amountCents),
    evidenceDueBy: evidenceDueBy?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
  };
}
