import type { Scope } from '../../base/scope.ts';
import type { Account, Processor } from '../../processors/processor.ts';
import { applyPayment } from '../payment/apply-payment.ts';
import { type SettledPayment, syncRefunds } from '../refund/apply-refunds.ts';
import { applyDispute } from './apply-dispute.ts';

/**
 * Looks a dispute up at the processor and merges it. The payment and its refunds come first: a dispute may be heard of
 * before the payment that it disputes, and what a bank takes back depends on what had been given back.
 *
 * @throws ProcessorUnavailable, AttemptNotFound
 */
export async function syncDispute(
  scope: Scope,
  processor: Processor,
  account: Account,
  reference: string,
): Promise<void> {
  const dispute = await processor.retrieveDispute(account, reference);
  if (dispute === null) return;
  const payment = await processor.retrieve(account, dispute.paymentReference);
  const attempt = payment === null ? null : await applyPayment(scope, account, payment);
  if (attempt === null) return;
  if (payment?.state === 'succeeded' && attempt.status === 'accepted') {
    await syncRefunds(scope, processor, { account, attemptId: attempt.id, reference: dispute.paymentReference });
  }
  await applyDispute(scope, attempt.id, dispute);
}

/** Looks up all disputes of a payment of ours, and merges them. @throws ProcessorUnavailable */
export async function syncDisputes(
  scope: Scope,
  processor: Processor,
  { account, attemptId, reference }: SettledPayment,
): Promise<void> {
  for (const dispute of await processor.retrieveDisputes(account, reference)) {
    await applyDispute(scope, attemptId, dispute);
  }
}
