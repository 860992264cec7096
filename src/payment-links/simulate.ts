import { ApiError } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import type { SimulatePaymentLinkRequest } from '../contract/operations-type.ts';
import {
  expire,
  type PaymentMethod,
  payByCard,
  requireActive,
  returnDebit,
  settleDebit,
  submitDebit,
} from './lifecycle.ts';
import type { PaymentLink } from './payment-link.entity.ts';
import { lockVisibleLink } from './service.ts';
import { Transaction } from './transaction.entity.ts';

export type SimulatedOutcome = SimulatePaymentLinkRequest['outcome'];

const CARD: Omit<PaymentMethod, 'feeCents'> = { type: 'card', brand: 'visa', last4: '4242' };
const BANK_ACCOUNT: Omit<PaymentMethod, 'feeCents'> = { type: 'us_bank_account', brand: null, last4: '6789' };

/** Drives a test link through the same state machine as a real payment. */
export async function simulateLink(scope: CallerScope, id: string, outcome: SimulatedOutcome): Promise<PaymentLink> {
  if (!scope.caller.test) throw new ApiError('test_mode_only');
  return inTransaction(scope, async (scope) => {
    const link = await lockVisibleLink(scope, id);
    requireActive(scope, link);
    await play(scope, link, outcome);
    return link;
  });
}

/** Section 3.3, row by row. */
async function play(scope: Scope, link: PaymentLink, outcome: SimulatedOutcome): Promise<void> {
  if (outcome === 'expired') return expire(scope, [link], 'simulated');
  if (outcome === 'paid') return payByCard(scope, link, { ...CARD, feeCents: cardFeeCents(link) }, 'simulated');
  await submitDebit(scope, link, { ...BANK_ACCOUNT, feeCents: null }, 'simulated');
  const transaction = await scope.em.findOneOrFail(Transaction, { paymentLinkId: link.id });
  if (outcome === 'processing_then_paid') {
    await settleDebit(scope, link, transaction, debitFeeCents(link), 'simulated');
  } else if (outcome === 'failed') {
    await returnDebit(scope, link, transaction, 'insufficient_funds', 'simulated');
  }
}

/** 2.9 % and 30 cents, like a real one, but never more than the amount. */
function cardFeeCents(link: PaymentLink): number {
  return Math.min(link.amountCents, Math.round(link.amountCents * 0.029) + 30);
}

/** 0.8 %, at most 5 dollars. */
function debitFeeCents(link: PaymentLink): number {
  return Math.min(500, Math.round(link.amountCents * 0.008));
}
