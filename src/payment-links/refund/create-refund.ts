import { type Act, auditRows } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import { asService, fresh, type Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { transition } from '../../base/state-machine.ts';
import { UNIQUE_VIOLATION } from '../../database/query/errors.ts';
import { inPlace, inTransaction } from '../../database/query/transaction.ts';
import { type Processor, ProcessorUnavailable, type RefundSnapshot } from '../../processors/processor.ts';
import { lockLink } from '../link/lock.ts';
import type { TransactionState } from '../link/state.ts';
import type { RefundFields } from '../link/views.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import { REFUND } from '../model/transitions.ts';
import { applyRefund } from './apply-refunds.ts';
import {
  amountToRefund,
  pendingRefund,
  RefundRefused,
  refundableCentsOf,
  refunded,
  statusWithRefund,
} from './refund-decision.ts';
import { type ReadPayment, readPayment, writeRefund } from './write-refund.ts';

/** Details of a refund by a person of the practice, whom the scope names. */
export interface StaffRefund {
  /** Id of the refund, made for the form. A form that is sent twice has the same id, and refunds once. */
  id: string;
  /**
   * Throws to refuse the refund. It may take locks, which last until the refund is recorded. Without it every refund is
   * admitted, and most need no transaction.
   */
  admit?: ((scope: Scope, refund: RefundFields) => Promise<void>) | undefined;
  /**
   * Returns the act, which is recorded with the refund. It is called again if the payment has changed in the meantime.
   *
   * @param remainingCents amount that can be refunded after this refund
   */
  actOf(refund: RefundFields, remainingCents: number): Act;
}

/** A refund to make. */
interface RefundOrder {
  linkId: string;
  /** Null for the amount that is left. */
  amountCents: number | null;
  reason: string | null;
  staff: StaffRefund | null;
}

/** A refund that is recorded here, before the processor is asked. */
interface RecordedRefund {
  refund: RefundFields;
  /** The attempt whose payment the processor is asked to refund. Null for a simulated payment, and for a repeated request. */
  attempt: Pick<PaymentAttempt, 'id' | 'processorAccountId' | 'processorReference'> | null;
}

/**
 * Refunds a payment in full or in part, in three phases: records the refund, asks the processor, applies its answer. If a
 * later phase fails, the refund stays pending and `reconcile_transactions` asks again. The refund of a simulated payment
 * succeeds at once.
 *
 * @param amountCents null for the amount that is left
 * @param staff set if a person of the practice refunds; its id makes a repetition return the first refund
 * @throws ApiError `not_found`; `service_unavailable` if a change prevented each of five tries
 * @throws RefundRefused `too_much`, `not_settled`, `other_processor`, `id_taken`; and whatever `staff.admit` throws
 */
export async function createRefund(
  scope: Scope,
  processor: Processor,
  linkId: string,
  amountCents: number | null,
  reason: string | null,
  staff: StaffRefund | null = null,
): Promise<RefundFields> {
  const { refund, attempt } = await recordRefund(scope, processor, { linkId, amountCents, reason, staff });
  if (attempt === null) return refund;
  try {
    const snapshot = await processor.refund({
      account: { id: attempt.processorAccountId },
      paymentReference: referenceOf(attempt),
      refundId: refund.id,
      amountCents: refund.amountCents,
    });
    const succeeded = await inPlace(fresh(scope), (scope) => recordSuccess(scope, linkId, snapshot));
    return succeeded ?? (await applyRefund(asService(scope), attempt.id, snapshot))?.refund ?? refund;
  } catch (err) {
    // The refund is recorded, and `reconcile_transactions` completes it. After an error, staff would refund a second time.
    const fields = { err, refundId: refund.id };
    if (err instanceof ProcessorUnavailable)
      scope.log.warn(fields, 'refund without answer; a recurring job asks again');
    else scope.log.error(fields, 'refund interrupted; a recurring job asks again');
    return refund;
  }
}

/** Most tries to record a refund. From the second on, the link is locked, so only a changed endpoint can cause another. */
const MAX_TRIES = 5;

/** Records a refund before the processor is asked. @throws ApiError; RefundRefused */
async function recordRefund(scope: Scope, processor: Processor, order: RefundOrder): Promise<RecordedRefund> {
  // A transaction confirms the right of a person.
  if (scope.confirmRight === undefined && order.staff?.admit === undefined) {
    const first = await inPlace(fresh(scope), (scope) => tryToRecord(scope, processor, order)).catch(unlessTaken);
    if (first !== null) return first;
  }
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    const recorded = await inTransaction(fresh(scope), async (scope) => {
      // The lock keeps the payment unchanged between read and write.
      await lockLink(scope, order.linkId);
      return tryToRecord(scope, processor, order);
    }).catch(unlessTaken);
    if (recorded !== null) return recorded;
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** A refund of another link took the id of the form at the same time. The next try finds it. */
function unlessTaken(error: unknown): null {
  if (sqlState(error) === UNIQUE_VIOLATION) return null;
  throw error;
}

/** Time until `reconcile_transactions` asks about a refund without an answer. */
const FIRST_RECONCILE_MS = 60_000;

/**
 * Records a refund by one read and one write.
 *
 * @returns null if the link has changed since the read; nothing is written then
 */
async function tryToRecord(
  scope: Scope,
  processor: Processor,
  { linkId, amountCents, reason, staff }: RefundOrder,
): Promise<RecordedRefund | null> {
  const found = await readPayment(scope, linkId);
  const { state } = found.read;
  const repeated = state.refunds.find(({ id }) => id === staff?.id);
  if (repeated !== undefined) return { refund: repeated, attempt: null };
  const { before, attempt } = requireRefundable(found, processor);
  const now = scope.clock.now();
  const refundableCents = refundableCentsOf(before, state.refunds);
  const recorded = pendingRefund(
    before,
    {
      ...(staff === null ? {} : { id: staff.id }),
      amountCents: amountToRefund(refundableCents, amountCents),
      reason,
      processorReference: null,
    },
    now,
  );
  await staff?.admit?.(scope, recorded);
  const act = staff?.actOf(recorded, refundableCents - recorded.amountCents) ?? refundCreated(recorded);
  const status = statusWithRefund(before.status, recorded.amountCents, refundableCents);
  const acts = auditRows(scope, [act]);
  const made: { recorded: Refund; transaction: TransactionState } =
    attempt === null
      ? { recorded: { ...recorded, status: statusAfterSuccess(recorded) }, transaction: { ...before, status } }
      : { recorded, transaction: { ...before, status, reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS) } };
  const after = { ...state, transaction: made.transaction, refunds: [...state.refunds, made.recorded] };
  const events = attempt === null ? refunded(after, recorded).events : [];
  const outcome = await writeRefund(scope, found, { ...made, acts, events });
  switch (outcome) {
    case 'changed':
      return { refund: made.recorded, attempt };
    case 'stale':
      return null;
    case 'taken':
      throw new RefundRefused('id_taken', 'id', 'Another refund has this id.');
    default:
      outcome satisfies never;
      throw new Error('refund_link returned an unknown outcome');
  }
}

/** Returns the settled payment. @throws RefundRefused `not_settled`, `other_processor` */
function requireRefundable({ read, payment }: ReadPayment, processor: Processor) {
  const { transaction: before } = read.state;
  if (payment === null || before?.status !== 'succeeded') {
    throw new RefundRefused('not_settled', 'amount', 'The link has no settled payment that could be refunded.');
  }
  const { attempt } = payment;
  if (attempt !== null && attempt.processor !== processor.name) {
    throw new RefundRefused('other_processor', 'link', `The link was paid through ${attempt.processor}.`);
  }
  return { before, attempt };
}

/**
 * Records the usual answer, that the refund has succeeded, by one read and one write.
 *
 * @returns null for any other answer, and if anything has to be reported or has changed: it needs `applyRefund`
 */
async function recordSuccess(scope: Scope, linkId: string, snapshot: RefundSnapshot): Promise<RefundFields | null> {
  const { refundId, reference: processorReference, amountCents, currency } = snapshot;
  if (snapshot.state !== 'succeeded') return null;
  const found = await readPayment(scope, linkId);
  const { payment, read } = found;
  const { state } = read;
  const pending = state.refunds.find(({ id, status }) => id === refundId && status === 'pending');
  if (payment === null || pending === undefined) return null;
  if (pending.amountCents !== amountCents || state.link.currency !== currency) return null;
  // A bank may have taken the same money back. Another refund may have this reference.
  const isKnown = payment.refunds.some(
    ({ id, processorReference: known }) => known !== null && (id === pending.id || known === processorReference),
  );
  if (payment.hasReversals || isKnown) return null;
  const succeeded = { ...pending, status: statusAfterSuccess(pending) };
  const refunds = state.refunds.map((refund) => (refund === pending ? succeeded : refund));
  const { events } = refunded({ ...state, refunds }, succeeded);
  const { id, status } = succeeded;
  const outcome = await writeRefund(scope, found, { succeeded: { id, status, processorReference }, events });
  return outcome === 'changed' ? succeeded : null;
}

/** Returns the status of a refund that succeeds. */
function statusAfterSuccess({ status }: Pick<Refund, 'status'>): Refund['status'] {
  const to = transition(REFUND, status, 'succeed');
  if (to === null) throw new Error(`a ${status} refund has no transition to succeed`);
  return to;
}

/** The reason is left out: it is free text, which may name a patient. */
function refundCreated({ practiceId, id, paymentLinkId, amountCents }: Refund): Act {
  const target = { kind: 'payment_link', id: paymentLinkId };
  return { practiceId, action: 'payment.refunded', target, after: { refundId: id, amountCents } };
}

function referenceOf({ processorReference }: Pick<PaymentAttempt, 'processorReference'>): string {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return processorReference;
}
