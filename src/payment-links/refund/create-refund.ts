import { type Act, auditRows } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import { asService, fresh, type Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { UNIQUE_VIOLATION } from '../../database/query/errors.ts';
import { inPlace, inTransaction } from '../../database/query/transaction.ts';
import { type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { changeLocked } from '../link/change.ts';
import { lockLink, requireLink } from '../link/lock.ts';
import { anyLink, type ReadState, readStates } from '../link/read-states.ts';
import type { AttemptState, Decision, LinkState } from '../link/state.ts';
import type { RefundFields } from '../link/views.ts';
import { writeLinks } from '../link/write-links.ts';
import type { Refund } from '../model/refund.entity.ts';
import {
  lastRefundOf,
  payingAttemptOf,
  RefundRefused,
  refundableCentsOf,
  refundRequested,
  refundsReported,
} from './refund-decision.ts';

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
  attempt: AttemptState | null;
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
    const reported = (state: LinkState) => refundsReported(state, attempt.id, [snapshot], scope.clock.now());
    const after =
      (await inPlace(fresh(scope), (scope) => writeSuccess(scope, linkId, reported))) ??
      (await changeLocked(fresh(asService(scope)), anyLink(linkId), reported)).after;
    return after.refunds.find(({ id }) => id === refund.id) ?? refund;
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
    const first = await inPlace(fresh(scope), (scope) => tryToRecord(scope, processor, order)).catch(refusedIfTaken);
    if (first !== null) return first;
  }
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    const recorded = await inTransaction(fresh(scope), async (scope) => {
      // The lock keeps the payment unchanged between read and write.
      await lockLink(scope, order.linkId);
      return tryToRecord(scope, processor, order);
    }).catch(refusedIfTaken);
    if (recorded !== null) return recorded;
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** A refund of another link has the id of the form. A refund of this link would have been found. */
function refusedIfTaken(error: unknown): never {
  if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
  throw new RefundRefused('id_taken', 'id', 'Another refund has this id.');
}

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
  const read = await readLink(scope, linkId);
  const repeated = read.state.refunds.find(({ id }) => id === staff?.id);
  if (repeated !== undefined) return { refund: repeated, attempt: null };
  const requested = { id: staff?.id, amountCents, reason };
  const decision = refundRequested(read.state, requested, processor.name, scope.clock.now());
  const refund = lastRefundOf(decision.state);
  await staff?.admit?.(scope, refund);
  const act = staff?.actOf(refund, refundableCentsOf(decision.state)) ?? refundCreated(refund);
  const [outcome] = await writeLinks([{ scope, read, decision, acts: auditRows(scope, [act]) }], 'fully');
  return outcome === 'written' ? { refund, attempt: payingAttemptOf(decision.state) } : null;
}

async function readLink(scope: Scope, linkId: string): Promise<ReadState> {
  const [read] = await readStates(scope, [anyLink(linkId)]);
  return requireLink(read ?? null);
}

/**
 * Records the usual answer, that the refund has succeeded, by one read and one write.
 *
 * @returns null for any other answer, and if anything has to be reported or has changed: it needs the lock of the link
 */
async function writeSuccess(
  scope: Scope,
  linkId: string,
  reported: (state: LinkState) => Decision,
): Promise<LinkState | null> {
  const read = await readLink(scope, linkId);
  const decision = reported(read.state);
  const { state, events, mails } = decision;
  const isUsual = events.length === 1 && mails.length === 0;
  const isKnown = state.refunds.length === read.state.refunds.length;
  if (!isUsual || !isKnown) return null;
  const [outcome] = await writeLinks([{ scope, read, decision, acts: [] }], 'fully');
  return outcome === 'written' ? state : null;
}

/** The reason is left out: it is free text, which may name a patient. */
function refundCreated({ practiceId, id, paymentLinkId, amountCents }: Refund): Act {
  const target = { kind: 'payment_link', id: paymentLinkId };
  return { practiceId, action: 'payment.refunded', target, after: { refundId: id, amountCents } };
}

function referenceOf({ processorReference }: AttemptState): string {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return processorReference;
}
