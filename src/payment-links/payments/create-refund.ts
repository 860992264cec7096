import { parseDollars } from '../../platform/base/money.ts';
import { asService, fresh, type Scope } from '../../platform/base/scope.ts';
import { sqlState } from '../../platform/base/sql-state.ts';
import { codePoints, findUnfit } from '../../platform/base/text.ts';
import { UNIQUE_VIOLATION } from '../../platform/database/query/errors.ts';
import type { Act } from '../../practices/audit/audit.ts';
import { ProcessorUnavailable } from '../../processors/processor.ts';
import {
  applyRefundSnapshots,
  findPayingAttempt,
  requestRefund,
  requireLastRefund,
} from '../decide/refund-decision.ts';
import { RefundRefused, sumRefundable } from '../decide/refundable.ts';
import type { Refund } from '../model/after-payment.entity.ts';
import type { AttemptState, LinkState } from '../state/state.ts';
import type { RefundFields } from '../state/views.ts';
import type { Decide } from '../store/change.ts';
import { linkRef } from '../store/port.ts';
import type { PaymentScope } from './apply.ts';

export const REFUNDED = 'payment.refunded';

export interface RefundOrder {
  linkId: string;
  /** Absent or null for all that can still be refunded. */
  amountCents?: number | null | undefined;
  reason?: string | null | undefined;
  /** Set if a person of the practice refunds. */
  staff?: {
    /** Id of the refund, made with the form. So a form that is sent twice refunds once. */
    id: string;
    /** Throws to refuse the refund. It may take locks, which last until the refund is recorded. */
    admit?: ((scope: Scope, refund: RefundFields) => Promise<void>) | undefined;
  };
}

type RefundScope = Omit<PaymentScope, 'store'>;

/**
 * Refunds a payment in full or in part, in three phases: records the refund, asks the processor, applies its answer. If a
 * later phase fails, the refund stays pending and `reconcile_transactions` asks again.
 * @throws ApiError `not_found`, `service_unavailable`; RefundRefused; and errors of `staff.admit`
 */
export async function createRefund(scope: RefundScope, order: RefundOrder): Promise<RefundFields> {
  const { refund, attempt, priorRead } = await recordRefund(scope, order);
  if (attempt === null) return refund;
  try {
    const snapshot = await scope.processor.refund({
      account: { id: attempt.processorAccountId },
      paymentReference: requireReference(attempt),
      refundId: refund.id,
      amountCents: refund.amountCents,
    });
    const decide: Decide = (draft) => applyRefundSnapshots(draft, attempt.id, [snapshot], scope.clock.now());
    const { after } = await scope.change(fresh(asService(scope)), linkRef(order.linkId), decide, { priorRead });
    return after.refunds.find(({ id }) => id === refund.id) ?? refund;
  } catch (err) {
    // `reconcile_transactions` completes the recorded refund. If staff saw an error here, they would refund a second time.
    const fields = { err, refundId: refund.id };
    if (err instanceof ProcessorUnavailable)
      scope.log.warn(fields, 'refund without answer; a recurring job asks again');
    else scope.log.error(fields, 'refund interrupted; a recurring job asks again');
    return refund;
  }
}

/** Records a refund before the processor is asked. `attempt` is null for a simulated payment, and for a repeated request. */
async function recordRefund(scope: RefundScope, order: RefundOrder) {
  const { linkId, amountCents = null, reason = null, staff } = order;
  const findRepeated = ({ refunds }: LinkState) => refunds.find(({ id }) => id === staff?.id);
  const decide: Decide = (draft) => {
    if (findRepeated(draft.state) !== undefined) return;
    const request = { id: staff?.id, amountCents, reason };
    requestRefund(draft, request, scope.processor.name, scope.clock.now());
    const refund = requireLastRefund(draft.state);
    draft.acts.push(refundCreated(refund, sumRefundable(draft.state)));
  };
  const admit = staff?.admit;
  const { before, after, nextRead } = await scope
    .change(fresh(scope), linkRef(linkId), decide, {
      admit:
        admit &&
        (async (scope, { before, after }) => {
          if (findRepeated(before) === undefined) await admit(scope, requireLastRefund(after));
        }),
    })
    .catch((error: unknown) => {
      // A refund of this link would have been found.
      if (sqlState(error) === UNIQUE_VIOLATION)
        throw new RefundRefused('id_taken', 'id', 'Another refund has this id.');
      throw error;
    });
  const repetition = findRepeated(before);
  if (repetition !== undefined) return { refund: repetition, attempt: null, priorRead: null };
  return { refund: requireLastRefund(after), attempt: findPayingAttempt(after), priorRead: nextRead };
}

/** The reason of the refund is free text, which may name a patient, so the act has the amounts only. */
function refundCreated({ practiceId, id, paymentLinkId, amountCents }: Refund, remainingCents: number): Act {
  const refundable = (cents: number) => (cents / 100).toFixed(2);
  return {
    practiceId,
    action: REFUNDED,
    target: { kind: 'payment_link', id: paymentLinkId },
    before: { refundable: refundable(remainingCents + amountCents) },
    after: { refundable: refundable(remainingCents), refundId: id },
  };
}

function requireReference({ processorReference }: AttemptState): string {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return processorReference;
}

/** Longest reason of a refund, in characters. Processors accept as many. */
export const MAX_REASON_LENGTH = 500;

/** The form of a refund, as a person typed it. The choice is `all` or `part`. */
export type RefundInput = Record<'choice' | 'amount' | 'reason', string>;

export interface RequestedRefund {
  amountCents: number;
  reason: string | null;
}

type RefundFault = 'no_amount' | 'two_amounts' | 'too_much' | 'taken_back' | 'not_settled' | 'reason_invalid';

/** Returns the refund that the form asks for, or why it is refused. */
export function checkRefund(
  { refundableCents, takenBackCents }: { refundableCents: number; takenBackCents: number },
  { choice, amount, reason }: RefundInput,
): RequestedRefund | RefundFault {
  if (refundableCents < 1) return takenBackCents > 0 ? 'taken_back' : 'not_settled';
  // Someone who typed an amount and left "all" chosen means the amount, but the money would be gone.
  if (choice === 'all' && amount !== '') return 'two_amounts';
  const amountCents = choice === 'all' ? refundableCents : Math.round(parseDollars(amount) * 100);
  // An amount that cannot be read is no number.
  if (!(amountCents > 0)) return 'no_amount';
  if (amountCents > refundableCents) return takenBackCents > 0 ? 'taken_back' : 'too_much';
  if (codePoints(reason) > MAX_REASON_LENGTH || findUnfit(reason) !== null) return 'reason_invalid';
  return { amountCents, reason: reason === '' ? null : reason };
}
