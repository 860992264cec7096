import { ApiError } from '../../base/errors.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox, type Sandbox } from '../../processors/sandbox.ts';
import type { SandboxMessage } from '../../processors/sandbox-ledger.ts';
import { closeDispute, noOpenDispute, openDispute } from '../dispute/apply-dispute.ts';
import { disputable, type NewDispute } from '../dispute/dispute-decision.ts';
import { syncDispute } from '../dispute/sync-dispute.ts';
import { requireLink } from '../link/lock.ts';
import { refundView } from '../link/views.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { handleNotification, receiveNotification } from '../reconcile/notifications.ts';
import { readLink } from '../store/change-once.ts';
import { refForOperator } from '../store/port.ts';

/*
 * Disputes that an operator opens and closes in place of a patient's bank. For a live link the sandbox's bank acts: it
 * sends a notification, and the service asks for the dispute, as with any processor. No processor knows a test link's
 * payment, so its dispute is simulated here.
 */

/**
 * Opens a dispute. If the reason is one of a bank return, the bank takes the debit back instead.
 *
 * @returns the dispute, or the refund of a bank reversal
 * @throws ApiError `not_found`, `validation_error`
 */
export async function simulateDisputeOpening(scope: Scope, processor: Processor, linkId: string, input: NewDispute) {
  const link = requireLink(await fresh(scope).em.findOne(PaymentLink, { id: linkId }));
  if (link.test) return disputeView(await openDispute(scope, link.id, input));
  const sandbox = sandboxOf(processor);
  const { attemptId } = disputable(await readLink(scope, refForOperator(linkId)), input);
  const reference = await referenceOf(scope, attemptId);
  const message = await sandbox.bank.openDispute(reference, input);
  await notify(scope, sandbox, message);
  const disputeReference = message.subject.kind === 'dispute' ? message.subject.reference : '';
  const by = { processorReference: disputeReference };
  const dispute = await fresh(scope).em.findOne(Dispute, by);
  if (dispute !== null) return disputeView(dispute);
  const refund = await fresh(scope).em.findOne(Refund, by);
  if (refund !== null) return refundView(refund);
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
  const link = requireLink(await fresh(scope).em.findOne(PaymentLink, { id: linkId }));
  if (link.test) return disputeView(await closeDispute(scope, link.id, outcome));
  const sandbox = sandboxOf(processor);
  const dispute = await fresh(scope).em.findOne(Dispute, { paymentLinkId: link.id, status: 'open' });
  if (dispute === null) throw noOpenDispute();
  const attempt = await fresh(scope).em.findOne(PaymentAttempt, { paymentLinkId: link.id, status: 'accepted' });
  const reference = await referenceOf(scope, attempt?.id ?? null);
  const message = await sandbox.bank.closeDispute(reference, outcome);
  if (message === null) throw noOpenDispute();
  await notify(scope, sandbox, message);
  return disputeView(await fresh(scope).em.findOneOrFail(Dispute, { id: dispute.id }));
}

async function notify(scope: Scope, sandbox: Sandbox, message: SandboxMessage): Promise<void> {
  const { raw, headers } = await sandbox.signed(message);
  await receiveNotification(fresh(scope), sandbox, raw, headers);
  // Processed at once, because the operator wants to see the result without waiting for a worker.
  await handleNotification(fresh(scope), sandbox, { processor: sandbox.name, id: message.id });
  // A worker may have claimed the message first and still be processing it.
  const { accountId, subject } = message;
  if (subject.kind === 'dispute') await syncDispute(scope, sandbox, { id: accountId }, subject.reference);
}

async function referenceOf(scope: Scope, attemptId: string | null): Promise<string> {
  const attempt = attemptId === null ? null : await fresh(scope).em.findOne(PaymentAttempt, { id: attemptId });
  if (!attempt?.processorReference) throw new Error('a paid attempt has no processor reference');
  return attempt.processorReference;
}

function sandboxOf(processor: Processor): Sandbox {
  if (isSandbox(processor)) return processor;
  const message = 'Disputes of real payments are opened and closed by banks.';
  throw new ApiError('validation_error', { param: 'link', message });
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
