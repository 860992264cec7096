import { createHash } from 'node:crypto';
import { newId } from '../../base/ids.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { Practice } from '../../practices/practice.entity.ts';
import {
  type Charge,
  type PaymentIntention,
  type Processor,
  ProcessorUnavailable,
} from '../../processors/processor.ts';
import { lockLinkByToken } from '../link/lock.ts';
import { intentOf, PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { AttemptStatus } from '../model/transitions.ts';
import { applyPayment } from '../payment/apply-payment.ts';
import { closeUnregistered, recordReference } from '../payment/locked-attempt.ts';
import { paymentTerms } from '../payment/payable.ts';
import { keepAlive } from '../payment/submission-mark.ts';
import { syncAttempt } from '../reconcile/reconcile.ts';
import type { Submission, SubmitResult } from './port.ts';

/**
 * Time until the sweep asks about an attempt. It is longer than any answer of the processor can take, even for a
 * submission whose own deadline passed long before.
 */
const FIRST_RECONCILE_MS = 180_000;

/** Result of a submission by the attempt's status. The outcome of an open attempt is still unknown. */
const RESULTS: Readonly<Record<AttemptStatus, SubmitResult>> = {
  open: 'accepted',
  requires_action: 'requires_action',
  accepted: 'accepted',
  failed: 'declined',
  cancelled: 'cancelled',
};

/**
 * Pays a link step by step. No lock is taken while the processor is asked.
 *
 * 1. A transaction locks the link, checks that it can be paid, and records the attempt.
 * 2. The processor begins the payment. A transaction records its reference, unless the attempt was cancelled.
 * 3. The processor charges the payment with that reference. If its answer is lost, we ask for the payment's state.
 * 4. A transaction applies the snapshot.
 *
 * If a process dies in between, the attempt stays open: the link cannot be paid, and the sweep asks the processor.
 */
export async function submitPayment(
  scope: Scope,
  processor: Processor,
  token: string,
  submission: Submission,
): Promise<SubmitResult> {
  const recorded = await inTransaction(fresh(scope), (scope) => recordAttempt(scope, processor, token, submission));
  if (typeof recorded === 'string') return recorded;
  const { attempt, intent, charge } = recorded;
  await using _submissionLease = await keepAlive(scope, attempt.id);
  const reference = await beginAtProcessor(scope, processor, intent);
  if (reference === null) return resultOf(scope, attempt.id);
  try {
    const snapshot = await processor.confirm(charge, reference);
    await applyPayment(scope, charge.account, snapshot);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId: attempt.id }, 'no answer to a charge; asking for the state of the payment');
    const attemptNow = await fresh(scope).em.findOneOrFail(PaymentAttempt, { id: attempt.id });
    await syncAttempt(scope, processor, attemptNow).catch((err) => {
      if (!(err instanceof ProcessorUnavailable)) throw err;
    });
  }
  return resultOf(scope, attempt.id);
}

/**
 * Begins the attempt's payment at the processor and returns its reference. Returns null if the attempt is closed: the
 * processor refused it or did not answer, or it was cancelled. Nothing was charged, and nothing will be confirmed.
 */
async function beginAtProcessor(scope: Scope, processor: Processor, intent: PaymentIntention): Promise<string | null> {
  const { attemptId } = intent;
  try {
    const reference = await processor.begin(intent);
    if (reference === null) await closeUnregistered(scope, attemptId, 'fail');
    else if (await recordReference(scope, attemptId, reference)) return reference;
    else await processor.cancel(intent.account, reference);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId }, 'the processor could not begin a payment');
    await closeUnregistered(scope, attemptId, 'cancel');
  }
  return null;
}

/** Returns the result of an attempt so far. One in doubt counts as accepted, because money may have been taken. */
export async function resultOf(scope: Scope, attemptId: string): Promise<SubmitResult> {
  const attempt = await fresh(scope).em.findOneOrFail(PaymentAttempt, { id: attemptId });
  const isInDoubt = attempt.closedAt !== null && attempt.reconcileAt !== null;
  return isInDoubt ? 'accepted' : RESULTS[attempt.status];
}

/** Locks the link, checks that it can be paid, and records the attempt. @returns the reason if it cannot be paid */
async function recordAttempt(
  scope: Scope,
  processor: Processor,
  token: string,
  submission: Submission,
): Promise<{ attempt: PaymentAttempt; intent: PaymentIntention; charge: Charge } | SubmitResult> {
  const link = await lockLinkByToken(scope, token);
  if (link === null || link.test) return 'not_payable';
  const practice = await scope.em.findOneOrFail(Practice, { id: link.practiceId });
  const { payability, account, methods } = await paymentTerms(scope, processor, link, practice);
  if (payability === 'throttled') return 'try_later';
  const authorised = submission.methodType === 'card' || submission.authorisationText !== null;
  if (payability !== 'payable' || account === null || !authorised) return 'not_payable';
  if (!methods.includes(submission.methodType)) return 'not_payable';
  if (link.amountCents !== submission.amountCents) return 'amount_changed';
  const attempt = newAttempt(scope, { link, processor: processor.name, account: account.id }, submission);
  await scope.em.flush();
  link.openAttemptId = attempt.id;
  const intent = intentOf(attempt);
  const charge = {
    ...intent,
    methodToken: submission.methodToken,
    returnUrl: `${scope.publicUrl}/pay/${token}?lang=${submission.locale}`,
    customerAddress: submission.address,
    customerUserAgent: submission.userAgent,
  };
  return { attempt, intent, charge };
}

function newAttempt(
  scope: Scope,
  at: { link: { id: string; practiceId: string; amountCents: number }; processor: string; account: string },
  { methodType, locale, address, authorisationText }: Submission,
): PaymentAttempt {
  const now = scope.clock.now();
  return scope.em.create(PaymentAttempt, {
    id: newId('paymentAttempt', now),
    practiceId: at.link.practiceId,
    paymentLinkId: at.link.id,
    status: 'open',
    processor: at.processor,
    processorAccountId: at.account,
    processorReference: null,
    methodType,
    amountCents: at.link.amountCents,
    currency: 'usd',
    failureReason: null,
    locale,
    address,
    authorisationText,
    authorisationHash: authorisationText === null ? null : createHash('sha256').update(authorisationText).digest(),
    createdAt: now,
    closedAt: null,
    reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS),
  });
}
