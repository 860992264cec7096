import { createHash } from 'node:crypto';
import { newId } from '../../base/ids.ts';
import { CURRENCY } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { inPlace } from '../../database/query/transaction.ts';
import {
  type Charge,
  type PaymentIntention,
  type Processor,
  ProcessorUnavailable,
} from '../../processors/processor.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { AttemptStatus } from '../model/transitions.ts';
import { applyPayment } from '../payment/apply-payment.ts';
import { closeUnregistered, recordReference } from '../payment/close-attempt.ts';
import { type PaymentTerms, readTerms, type TermsData, termsOf } from '../payment/payable.ts';
import { ALIVE_SECONDS, keepAlive } from '../payment/submission-mark.ts';
import { syncAttempt } from '../reconcile/reconcile.ts';
import type { Change } from '../store/change.ts';
import type { Submission, SubmitResult } from './port.ts';

/**
 * Time until the sweep asks about an attempt. It is longer than any answer of the processor can take, even for a
 * submission whose own deadline passed long before.
 */
const FIRST_RECONCILE_MS = 180_000;

/** Limit of tries to record an attempt. In each, some other request or transaction has changed the link. */
const MAX_TRIES = 10;

/** Result of a submission by the attempt's status. The outcome of an open attempt is still unknown. */
const RESULTS: Readonly<Record<AttemptStatus, SubmitResult>> = {
  open: 'accepted',
  requires_action: 'requires_action',
  accepted: 'accepted',
  failed: 'declined',
  cancelled: 'cancelled',
};

/** Functions of other parties that a payment calls. */
export interface PaymentDependencies {
  processor: Processor;
  change: Change;
}

/**
 * Pays a link step by step. No lock is taken while the processor is asked.
 *
 * 1. The link is read and checked. One statement locks it and, if it has not changed, records the attempt.
 * 2. The processor begins the payment. A transaction records its reference, unless the attempt was cancelled.
 * 3. The processor charges the payment with that reference. If its answer is lost, we ask for the payment's state.
 * 4. One statement pays the link, if nothing has changed since it was read. Otherwise a transaction applies the snapshot.
 *
 * If a process dies in between, the attempt stays open: the link cannot be paid, and the sweep asks the processor.
 *
 * @param read the link as it was read for this request; it saves the first read
 */
export async function submitPayment(
  scope: Scope,
  { processor, change }: PaymentDependencies,
  token: string,
  submission: Submission,
  read?: TermsData,
): Promise<SubmitResult> {
  const recorded = await recordAttempt(fresh(scope), processor, token, submission, read);
  if (typeof recorded === 'string') return recorded;
  const { intent, charge } = recorded;
  const { attemptId } = intent;
  await using alive = keepAlive(scope, attemptId);
  const reference = await beginAtProcessor(scope, processor, intent);
  if (reference === null) return resultOf(scope, attemptId);
  try {
    const snapshot = await processor.confirm(charge, reference);
    const applied = await applyPayment(scope, charge.account, snapshot, change);
    if (applied === null) return resultOf(scope, attemptId);
    const { attempt } = applied;
    if (attempt.closedAt !== null) alive.leave();
    return resultOfAttempt(attempt);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId }, 'no answer to a charge; asking for the state of the payment');
    const attemptNow = await fresh(scope).em.findOneOrFail(PaymentAttempt, { id: attemptId });
    await syncAttempt(scope, processor, attemptNow).catch((err) => {
      if (!(err instanceof ProcessorUnavailable)) throw err;
    });
    return resultOf(scope, attemptId);
  }
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
  return resultOfAttempt(await fresh(scope).em.findOneOrFail(PaymentAttempt, { id: attemptId }));
}

function resultOfAttempt(attempt: Pick<PaymentAttempt, 'status' | 'closedAt' | 'reconcileAt'>): SubmitResult {
  const isInDoubt = attempt.closedAt !== null && attempt.reconcileAt !== null;
  return isInDoubt ? 'accepted' : RESULTS[attempt.status];
}

/**
 * Checks that the link can be paid, and records the attempt if the link is still as it was read.
 *
 * @returns the reason if it cannot be paid
 */
async function recordAttempt(
  scope: Scope,
  processor: Processor,
  token: string,
  submission: Submission,
  read?: TermsData,
): Promise<{ intent: PaymentIntention; charge: Charge } | SubmitResult> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const data = (tries === 0 ? read : undefined) ?? (await readTerms(scope, token));
    if (data === null || data.link.test) return 'not_payable';
    const terms = termsOf(processor, data, scope.clock.now());
    const { link, payability, account, methods, statementDescriptorSuffix } = terms;
    if (payability === 'throttled') return 'try_later';
    const authorised = submission.methodType === 'card' || submission.authorisationText !== null;
    if (payability !== 'payable' || account === null || !authorised) return 'not_payable';
    if (!methods.includes(submission.methodType)) return 'not_payable';
    if (link.amountCents !== submission.amountCents) return 'amount_changed';
    const { amountCents, methodType } = submission;
    const attemptId = newId('paymentAttempt', scope.clock.now());
    const ids = { account, attemptId, paymentLinkId: link.id };
    const intent = { ...ids, amountCents, currency: CURRENCY, methodType, statementDescriptorSuffix };
    if (!(await insertAttempt(scope, terms, processor.name, intent, submission))) continue;
    const charge = {
      ...intent,
      methodToken: submission.methodToken,
      returnUrl: `${scope.publicUrl}/pay/${token}?lang=${submission.locale}`,
      customerAddress: submission.address,
      customerUserAgent: submission.userAgent,
    };
    return { intent, charge };
  }
  return 'try_later';
}

/**
 * Inserts the open attempt, marked as being submitted, and names it on its link, in one statement under the lock of the link.
 *
 * @returns false if the link has changed since its terms were read: nothing is written
 */
function insertAttempt(
  scope: Scope,
  { link, version }: PaymentTerms,
  processor: string,
  { account, attemptId, amountCents, currency, methodType }: PaymentIntention,
  { locale, address, authorisationText }: Submission,
): Promise<boolean> {
  const now = scope.clock.now();
  const status: AttemptStatus = 'open';
  const hash = authorisationText === null ? null : createHash('sha256').update(authorisationText).digest();
  return inPlace(scope, async ({ em }) => {
    const named = await sql(
      em,
      `with link as (
         select id, practice_id from payment_links where id = $2 and version = $3::integer for update
       ), attempt as (
         insert into payment_attempts (id, practice_id, payment_link_id, status, processor, processor_account_id,
           method_type, amount_cents, currency, locale, address, authorisation_text, authorisation_hash, created_at,
           reconcile_at, submitting_until)
         select $1, practice_id, id, $4, $5, $6, $7, $8::integer, $9, $10, $11, $12, $13::bytea, $14::timestamptz,
           $15::timestamptz, coalesce($16, clock_timestamp()) + make_interval(secs => $17)
         from link
         returning id, payment_link_id
       )
       update payment_links l set open_attempt_id = attempt.id from attempt where l.id = attempt.payment_link_id
       returning l.id`,
      [
        ...[attemptId, link.id, version, status, processor, account.id, methodType],
        ...[amountCents, currency, locale, address, authorisationText, hash],
        ...[now, new Date(now.getTime() + FIRST_RECONCILE_MS), scope.clock.shared(), ALIVE_SECONDS],
      ],
      { keepPlan: true },
    );
    return named.length > 0;
  });
}
