import { type Act, recordOwnAct } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { UNIQUE_VIOLATION } from '../../database/query/errors.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { lockLink } from '../link/lock.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { applyRefund, moveRefund, recordPendingRefund, refundableCents } from './apply-refunds.ts';

/** Details of a refund by a person of the practice. */
export interface StaffRefund {
  /** Id of the refund, made for the form. A form that is sent twice has the same id, and refunds once. */
  id: string;
  /** Records the act, in the transaction that records the refund. */
  recordAct(scope: Scope, refund: Refund, refundableCents: number): void;
}

/** Reason why a payment cannot be refunded, for callers that say it in other words. */
export type RefundRefusal = 'not_settled' | 'other_processor' | 'too_much' | 'id_taken';

/** A refund was refused. Nothing was recorded. */
export class RefundRefused extends ApiError {
  readonly reason: RefundRefusal;
  /** Amount that can still be refunded; null if that is not the reason. */
  readonly refundableCents: number | null;

  constructor(reason: RefundRefusal, param: string, message: string, refundableCents: number | null = null) {
    super('validation_error', { param, message });
    this.reason = reason;
    this.refundableCents = refundableCents;
  }
}

/** A refund that is recorded here, before the processor is asked. */
interface RecordedRefund {
  refund: Refund;
  /** The payment of which the processor is asked. Null for a simulated one, and for a refund that was recorded before. */
  attempt: PaymentAttempt | null;
}

/**
 * Refunds a payment in full or in part, in three phases: records the refund under the link's lock, asks the processor,
 * applies its answer. If a later phase fails, the refund stays pending and `reconcile_transactions` asks again. The refund of a
 * simulated payment succeeds at once.
 *
 * @param amountCents null for the amount that is left
 * @param staff set if a person of the practice refunds; its id makes a repetition return the first refund
 * @throws ApiError `not_found`
 * @throws RefundRefused if less than the amount is left, or the link was paid through another processor
 */
export async function createRefund(
  scope: Scope,
  processor: Processor,
  linkId: string,
  amountCents: number | null,
  reason: string | null,
  staff: StaffRefund | null = null,
): Promise<Refund> {
  const record = () =>
    inTransaction(fresh(scope), (scope) => recordRefund(scope, processor, linkId, amountCents, reason, staff));
  const { refund, attempt } = await record().catch((error: unknown) => {
    // A refund of another link took the id of the form at the same time. The second try finds it.
    if (staff !== null && sqlState(error) === UNIQUE_VIOLATION) return record();
    throw error;
  });
  if (attempt === null) return refund;
  try {
    const snapshot = await processor.refund({
      account: { id: attempt.processorAccountId },
      paymentReference: referenceOf(attempt),
      refundId: refund.id,
      amountCents: refund.amountCents,
    });
    return (await applyRefund(scope, attempt.id, snapshot)) ?? refund;
  } catch (err) {
    // The refund is recorded, and `reconcile_transactions` completes it. After an error, staff would refund a second time.
    const fields = { err, refundId: refund.id };
    if (err instanceof ProcessorUnavailable)
      scope.log.warn(fields, 'refund without answer; a recurring job asks again');
    else scope.log.error(fields, 'refund interrupted; a recurring job asks again');
    return refund;
  }
}

/** Time until `reconcile_transactions` asks about a refund without an answer. */
const FIRST_RECONCILE_MS = 60_000;

async function recordRefund(
  scope: Scope,
  processor: Processor,
  linkId: string,
  amountCents: number | null,
  reason: string | null,
  staff: StaffRefund | null,
): Promise<RecordedRefund> {
  const link = await lockLink(scope, linkId);
  const repeated = staff === null ? null : await scope.em.findOne(Refund, { id: staff.id });
  if (repeated !== null) {
    if (repeated.paymentLinkId === link.id) return { refund: repeated, attempt: null };
    throw new RefundRefused('id_taken', 'id', 'Another refund has this id.');
  }
  const transaction = await scope.em.findOne(Transaction, { paymentLinkId: link.id, status: 'succeeded' });
  if (transaction === null) {
    throw new RefundRefused('not_settled', 'amount', 'The link has no settled payment that could be refunded.');
  }
  const { attemptId } = transaction;
  const attempt = attemptId === null ? null : await scope.em.findOneOrFail(PaymentAttempt, { id: attemptId });
  if (attempt !== null && attempt.processor !== processor.name) {
    throw new RefundRefused('other_processor', 'link', `The link was paid through ${attempt.processor}.`);
  }
  const refund = await recordPendingRefund(scope, link, transaction, {
    ...(staff === null ? {} : { id: staff.id }),
    amountCents: await amountToRefund(scope, transaction, amountCents),
    reason,
    processorReference: null,
  });
  staff?.recordAct(scope, refund, await refundableCents(scope, transaction));
  if (attempt === null) {
    await moveRefund(scope, { link, transaction, refund }, 'succeeded');
    recordOwnAct(scope, refundCreated(refund));
    return { refund, attempt: null };
  }
  transaction.reconcileAt = new Date(scope.clock.now().getTime() + FIRST_RECONCILE_MS);
  recordOwnAct(scope, refundCreated(refund));
  return { refund, attempt };
}

/** The reason is left out: it is free text, which may name a patient. */
function refundCreated({ practiceId, id, paymentLinkId, amountCents }: Refund): Act {
  const target = { kind: 'payment_link', id: paymentLinkId };
  return { practiceId, action: 'payment.refunded', target, after: { refundId: id, amountCents } };
}

/**
 * Returns the cents to refund.
 *
 * @param amountCents null for the amount that is left
 * @throws RefundRefused if less is left
 */
export async function amountToRefund(
  scope: Scope,
  transaction: Transaction,
  amountCents: number | null,
): Promise<number> {
  const left = await refundableCents(scope, transaction);
  const amount = amountCents ?? left;
  if (amount < 1 || amount > left) {
    const message = `At most ${dollarsFromCents(left)} dollars are left to refund.`;
    throw new RefundRefused('too_much', 'amount', message, left);
  }
  return amount;
}

function referenceOf({ processorReference }: PaymentAttempt): string {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return processorReference;
}
