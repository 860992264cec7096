import { ApiError } from '../../platform/base/errors.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import { fresh } from '../../platform/base/scope.ts';
import { isSandbox, type SandboxBank } from '../../processors/sandbox.ts';
import {
  closeDispute,
  findOpenDispute,
  type NewDispute,
  openDispute,
  requireDisputable,
} from '../decide/dispute-decision.ts';
import { findPayingAttempt } from '../decide/refund-decision.ts';
import type { Dispute } from '../model/after-payment.entity.ts';
import { getAccount } from '../model/payment-attempt.entity.ts';
import type { PaymentScope } from '../payments/apply.ts';
import { syncDispute } from '../payments/sync.ts';
import type { LinkState } from '../state/state.ts';
import { refundView } from '../state/views.ts';
import { type Decide, readLink } from '../store/change.ts';
import { linkRef } from '../store/port.ts';

/*
 * Disputes that an operator opens and closes in place of a patient's bank. For a live link the bank of the sandbox acts, and the service
 * asks for the dispute at once. No processor knows the payment of a test link, so its dispute is decided here.
 */

/** Opens a dispute, or a bank reversal if the reason is one of a bank return. @throws ApiError `not_found`, `validation_error` */
export function simulateDisputeOpening(scope: PaymentScope, linkId: string, input: NewDispute) {
  return simulate(scope, linkId, {
    check: (state) => requireDisputable(state, input),
    decide: (draft) => openDispute(draft, input, null, scope.clock.now()),
    atBank: async (bank, paymentReference) => [await bank.openDispute(paymentReference, input)],
  });
}

/** Closes the open dispute of a link. @throws ApiError `not_found` when there is none */
export function simulateDisputeClosing(scope: PaymentScope, linkId: string, outcome: 'won' | 'lost') {
  return simulate(scope, linkId, {
    check: requireOpenDispute,
    decide: (draft) => closeDispute(draft, requireOpenDispute(draft.state), outcome, scope.clock.now()),
    atBank: (bank, paymentReference) => bank.closeDispute(paymentReference, outcome),
  });
}

/** Returns the open dispute. @throws ApiError `not_found` when there is none */
function requireOpenDispute(state: LinkState): Dispute {
  const dispute = findOpenDispute(state);
  if (dispute === null) throw new ApiError('not_found', { message: 'The link has no open dispute.' });
  return dispute;
}

/** A change by a bank: what it requires, the decision about a test link, and what the sandbox's bank does for a live one. */
interface BankChange {
  check: (state: LinkState) => void;
  decide: Decide;
  /** Returns the references of the disputes. */
  atBank: (bank: SandboxBank, paymentReference: string) => Promise<readonly string[]>;
}

/** Simulates a change by a bank, and returns the dispute or refund that it makes or changes. */
async function simulate(scope: PaymentScope, linkId: string, { check, decide, atBank }: BankChange) {
  const ref = linkRef(linkId);
  const before = await readLink(scope, ref, scope.store);
  check(before);
  if (before.link.test) {
    await scope.change(fresh(scope), ref, (draft) => {
      check(draft.state);
      decide(draft);
    });
  } else {
    await changeAtBank(scope, before, atBank);
  }
  const after = await readLink(fresh(scope), ref, scope.store);
  const statuses = new Map([...before.disputes, ...before.refunds].map(({ id, status }) => [id, status]));
  const dispute = after.disputes.find(({ id, status }) => statuses.get(id) !== status);
  if (dispute !== undefined) return viewDispute(dispute);
  const refund = after.refunds.find(({ id }) => !statuses.has(id));
  if (refund !== undefined) return refundView(refund);
  // Another command has closed the dispute since the check.
  throw new ApiError('not_found', { message: 'The link has no open dispute.' });
}

/** Lets the sandbox's bank change the link's payment, and applies the dispute. */
async function changeAtBank(scope: PaymentScope, state: LinkState, atBank: BankChange['atBank']): Promise<void> {
  const { processor } = scope;
  if (!isSandbox(processor)) {
    const message = 'Disputes of real payments are opened and closed by banks.';
    throw new ApiError('validation_error', { param: 'link', message });
  }
  const attempt = findPayingAttempt(state);
  if (!attempt?.processorReference) throw new Error('a paid attempt has no processor reference');
  for (const reference of await atBank(processor.bank, attempt.processorReference))
    await syncDispute(fresh(scope), getAccount(attempt), reference);
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
