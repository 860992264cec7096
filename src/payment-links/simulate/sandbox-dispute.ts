import { ApiError } from '../../base/errors.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox, type Sandbox } from '../../processors/sandbox.ts';
import type { SandboxMessage } from '../../processors/sandbox-ledger.ts';
import { syncDispute } from '../dispute/apply-dispute.ts';
import {
  disputable,
  disputeClosed,
  disputeOpened,
  type NewDispute,
  openDisputeOf,
} from '../dispute/dispute-decision.ts';
import { changedRows } from '../link/changed-rows.ts';
import type { LinkState } from '../link/state.ts';
import { refundView } from '../link/views.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import { handleNotification, receiveNotification } from '../reconcile/notifications.ts';
import { change, type Decide, readLink } from '../store/change.ts';
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
  const ref = refForOperator(linkId);
  const state = await readLink(scope, ref);
  const { attemptId } = disputable(state, input);
  if (state.link.test) return disputeView(await openDispute(scope, linkId, input));
  const sandbox = sandboxOf(processor);
  const message = await sandbox.bank.openDispute(referenceOf(state, attemptId), input);
  await notify(scope, sandbox, message);
  const by = message.subject.kind === 'dispute' ? message.subject.reference : null;
  const { disputes, refunds } = await readLink(scope, ref);
  const dispute = disputes.find(({ processorReference }) => processorReference === by);
  if (dispute !== undefined) return disputeView(dispute);
  const refund = refunds.find(({ processorReference }) => processorReference === by);
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
  const ref = refForOperator(linkId);
  const state = await readLink(scope, ref);
  if (state.link.test) return disputeView(await closeDispute(scope, linkId, outcome));
  const sandbox = sandboxOf(processor);
  const { id } = requireOpen(state);
  const message = await sandbox.bank.closeDispute(referenceOf(state, state.transaction?.attemptId ?? null), outcome);
  if (message === null) throw noOpenDispute();
  await notify(scope, sandbox, message);
  const closed = (await readLink(scope, ref)).disputes.filter((dispute) => dispute.id === id);
  return disputeView(onlyOne(closed));
}

/** Opens a dispute without a processor. @throws ApiError as `disputable` */
export function openDispute(scope: Scope, linkId: string, input: NewDispute): Promise<Dispute> {
  return changeDispute(scope, linkId, (state) => {
    disputable(state, input);
    return disputeOpened(state, input, null, scope.clock.now());
  });
}

/** Closes the open dispute without a processor. @throws ApiError `not_found` when there is none */
export function closeDispute(scope: Scope, linkId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
  return changeDispute(scope, linkId, (state) => disputeClosed(state, requireOpen(state), outcome, scope.clock.now()));
}

/** Changes a link, and returns the dispute that the change opens or closes. */
async function changeDispute(scope: Scope, linkId: string, decide: Decide): Promise<Dispute> {
  const { before, after } = await change(fresh(scope), refForOperator(linkId), decide);
  return onlyOne(changedRows(before.disputes, after.disputes).map(({ row }) => row));
}

function onlyOne([dispute]: readonly Dispute[]): Dispute {
  if (dispute === undefined) throw new Error('a dispute that was opened belongs to the state');
  return dispute;
}

/** Returns the open dispute. @throws ApiError `not_found` when there is none */
function requireOpen(state: LinkState): Dispute {
  const dispute = openDisputeOf(state);
  if (dispute === null) throw noOpenDispute();
  return dispute;
}

function noOpenDispute(): ApiError {
  return new ApiError('not_found', { message: 'The link has no open dispute.' });
}

async function notify(scope: Scope, sandbox: Sandbox, message: SandboxMessage): Promise<void> {
  const { raw, headers } = await sandbox.signed(message);
  await receiveNotification(fresh(scope), sandbox, raw, headers);
  // Processed at once, because the operator wants to see the result without waiting for a worker.
  await handleNotification(fresh(scope), sandbox, { processor: sandbox.name, id: message.id });
  // A worker may have claimed the message first and still be processing it.
  const { accountId, subject } = message;
  if (subject.kind === 'dispute')
    await syncDispute(scope, { processor: sandbox, change }, { id: accountId }, subject.reference);
}

function referenceOf({ attempts }: LinkState, attemptId: string | null): string {
  const reference = attempts.find(({ id }) => id === attemptId)?.processorReference;
  if (!reference) throw new Error('a paid attempt has no processor reference');
  return reference;
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
