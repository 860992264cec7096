import { ApiError } from '../../base/errors.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import type { SandboxBank } from '../../processors/sandbox-bank.ts';
import {
  closeDispute,
  type NewDispute,
  openDispute,
  openDisputeOf,
  requireDisputable,
} from '../dispute/dispute-decision.ts';
import type { LinkState } from '../link/state.ts';
import { refundView } from '../link/views.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import { syncDispute } from '../reconcile/reconcile.ts';
import { payingAttemptOf } from '../refund/refund-decision.ts';
import { change, type Decide, readLink } from '../store/change.ts';
import { refForOperator } from '../store/port.ts';

/*
 * Disputes that an operator opens and closes in place of a patient's bank. For a live link the bank of the sandbox acts, and the service
 * asks for the dispute, as with any processor. It does not wait for the notification, because the operator wants to see the result at
 * once. No processor knows the payment of a test link, so its dispute is decided here.
 */

/**
 * Opens a dispute. If the reason is one of a bank return, the bank takes the debit back instead.
 *
 * @returns the dispute, or the refund of a bank reversal
 * @throws ApiError `not_found`, `validation_error`
 */
export async function simulateDisputeOpening(scope: Scope, processor: Processor, linkId: string, input: NewDispute) {
  const state = await readLink(scope, refForOperator(linkId));
  if (state.link.test) {
    return changeTestLink(scope, linkId, (draft) => {
      requireDisputable(draft.state, input);
      openDispute(draft, input, null, scope.clock.now());
    });
  }
  requireDisputable(state, input);
  const [reference, { disputes, refunds }] = await changeAtBank(scope, processor, state, (bank, payment) =>
    bank.openDispute(payment, input),
  );
  const dispute = disputes.find(({ processorReference }) => processorReference === reference);
  if (dispute !== undefined) return disputeView(dispute);
  const refund = refunds.find(({ processorReference }) => processorReference === reference);
  if (refund !== undefined) return refundView(refund);
  throw new ApiError('validation_error', {
    param: 'link',
    message: 'The bank took the debit back, all of which had been refunded already: there is nothing to show.',
  });
}

/** Closes the open dispute of a link. @throws ApiError `not_found` when there is none */
export async function simulateDisputeClosing(
  scope: Scope,
  processor: Processor,
  linkId: string,
  outcome: 'won' | 'lost',
) {
  const state = await readLink(scope, refForOperator(linkId));
  if (state.link.test) {
    return changeTestLink(scope, linkId, (draft) =>
      closeDispute(draft, requireOpenDispute(draft.state), outcome, scope.clock.now()),
    );
  }
  requireOpenDispute(state);
  const [reference, { disputes }] = await changeAtBank(scope, processor, state, (bank, payment) =>
    bank.closeDispute(payment, outcome),
  );
  const dispute = disputes.find(({ processorReference }) => processorReference === reference);
  if (dispute === undefined) throw new Error('a dispute that was closed belongs to the state');
  return disputeView(dispute);
}

/** Changes a test link, and returns the dispute that the decision opens or closes. */
async function changeTestLink(scope: Scope, linkId: string, decide: Decide) {
  const { before, after } = await change(fresh(scope), refForOperator(linkId), decide);
  const changed = after.disputes.find((dispute) => !before.disputes.includes(dispute));
  if (changed === undefined) throw new Error('a dispute that was changed belongs to the state');
  return disputeView(changed);
}

/** Returns the open dispute. @throws ApiError `not_found` when there is none */
function requireOpenDispute(state: LinkState): Dispute {
  const dispute = openDisputeOf(state);
  if (dispute === null) throw new ApiError('not_found', { message: 'The link has no open dispute.' });
  return dispute;
}

/** Lets the bank act on the link's payment. Returns the reference of the dispute, and the link afterwards. */
async function changeAtBank(
  scope: Scope,
  processor: Processor,
  state: LinkState,
  work: (bank: SandboxBank, paymentReference: string) => Promise<string>,
): Promise<[reference: string, after: LinkState]> {
  if (!isSandbox(processor)) {
    const message = 'Disputes of real payments are opened and closed by banks.';
    throw new ApiError('validation_error', { param: 'link', message });
  }
  const attempt = payingAttemptOf(state);
  if (!attempt?.processorReference) throw new Error('a paid attempt has no processor reference');
  const reference = await work(processor.bank, attempt.processorReference);
  await syncDispute(scope, { processor, change }, { id: attempt.processorAccountId }, reference);
  return [reference, await readLink(scope, refForOperator(state.link.id))];
}

function disputeView(dispute: Dispute) {
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
