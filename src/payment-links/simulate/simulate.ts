import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import type { SimulatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { sandboxFeeCents } from '../../processors/sandbox-methods.ts';
import { expire, payByCard, requireActive, returnDebit, settleDebit, submitDebit } from '../link/lifecycle.ts';
import { lockVisibleLink } from '../link/lock.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

export type SimulatedOutcome = SimulatePaymentLinkRequest['outcome'];

const CARD = { type: 'card', brand: 'visa', last4: '4242', attemptId: null } as const;
const BANK_ACCOUNT = { type: 'us_bank_account', brand: null, last4: '6789', attemptId: null } as const;

/**
 * Simulates an outcome on a test link, by the same transition tables as a real payment. @throws ApiError
 * `test_mode_only`
 */
export async function simulateLink(scope: CallerScope, id: string, outcome: SimulatedOutcome): Promise<PaymentLink> {
  if (!scope.caller.test) throw new ApiError('test_mode_only');
  return inTransaction(scope, async (scope) => {
    const link = await lockVisibleLink(scope, id);
    requireActive(scope, link);
    await simulateOutcome(scope, link, outcome);
    return link;
  });
}

/** Applies a simulated outcome to a locked, active test link. */
export async function simulateOutcome(scope: Scope, link: PaymentLink, outcome: SimulatedOutcome): Promise<void> {
  if (outcome === 'expired') return expire(scope, [link], 'simulated');
  if (outcome === 'paid')
    return payByCard(scope, link, { ...CARD, feeCents: sandboxFeeCents('card', link.amountCents) }, 'simulated');
  const transaction = await submitDebit(scope, link, { ...BANK_ACCOUNT, feeCents: null }, 'simulated');
  if (outcome === 'processing_then_paid') {
    await settleDebit(scope, link, transaction, sandboxFeeCents('us_bank_account', link.amountCents), 'simulated');
  } else if (outcome === 'failed') {
    await returnDebit(scope, link, transaction, 'insufficient_funds', 'simulated');
  }
}
