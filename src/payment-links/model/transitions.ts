import type { StateMachine } from '../../platform/base/state-machine.ts';

export type LinkStatus = 'active' | 'paid' | 'expired' | 'cancelled';

/**
 * States of a link. A bank debit makes it paid at submission, so that nobody pays twice. Paid is final: refunds and disputes change the
 * transaction. Money that was taken makes an expired or cancelled link paid.
 */
export const LINK: StateMachine<LinkStatus, 'update' | 'pay' | 'pay_late' | 'expire' | 'cancel'> = {
  active: { update: 'active', pay: 'paid', expire: 'expired', cancel: 'cancelled' },
  paid: {},
  expired: { pay_late: 'paid' },
  cancelled: { cancel: 'cancelled', pay_late: 'paid' },
};

/**
 * Returns the visible status at a time. An active link that has reached its `expiresAt` counts as expired, unless a payment attempt is open.
 * `overdueSql` is the same rule, and `test/payment-links/rules-in-sql.property.test.ts` compares both.
 */
export function statusAt(
  { status, openAttemptId, expiresAt }: { status: LinkStatus; openAttemptId: string | null; expiresAt: Date },
  now: Date,
): LinkStatus {
  return status === 'active' && openAttemptId === null && expiresAt <= now ? 'expired' : status;
}

/** Returns the conditions of overdue links on `payment_links`, all of which must hold at the time `now`, such as `$1`. */
export function overdueSql(now: string): string[] {
  return [`status = 'active'`, 'open_attempt_id is null', `expires_at <= ${now}`];
}

export type AttemptStatus = 'open' | 'requires_action' | 'accepted' | 'failed' | 'cancelled';

/**
 * States of a payment attempt. It is open before the processor is asked, until its outcome is known. Accepted: the money was taken, or the
 * debit is pending. Failed: declined. Cancelled: ended before money was taken. If money is taken after all, it counts.
 */
export const ATTEMPT: StateMachine<AttemptStatus, 'wait' | 'accept' | 'fail' | 'cancel' | 'accept_late'> = {
  open: { wait: 'requires_action', accept: 'accepted', fail: 'failed', cancel: 'cancelled' },
  requires_action: { wait: 'requires_action', accept: 'accepted', fail: 'failed', cancel: 'cancelled' },
  accepted: {},
  failed: { accept_late: 'accepted' },
  cancelled: { accept_late: 'accepted' },
};

export type TransactionEvent = 'settle' | 'return' | 'refund_fully' | 'refund_partly' | 'refund_failed';

export type TransactionStatus = 'pending' | 'succeeded' | 'failed' | 'refunded';

/**
 * States of a transaction. A card transaction succeeds at once; a bank debit is pending until it settles or is returned. It is refunded
 * when refunds that did not fail, or a bank reversal, add up to its amount. A bank may also take back what was refunded. A dispute changes
 * it only beside a bank reversal.
 */
export const TRANSACTION: StateMachine<TransactionStatus, TransactionEvent> = {
  pending: { settle: 'succeeded', return: 'failed' },
  succeeded: { refund_fully: 'refunded', refund_partly: 'succeeded', refund_failed: 'succeeded' },
  failed: {},
  refunded: { refund_fully: 'refunded', refund_failed: 'succeeded' },
};

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

/** States of a refund. Its initial status is pending. A succeeded refund can still fail at the bank. */
export const REFUND: StateMachine<RefundStatus, 'succeed' | 'fail'> = {
  pending: { succeed: 'succeeded', fail: 'failed' },
  succeeded: { fail: 'failed' },
  failed: {},
};

export type DisputeStatus = 'open' | 'won' | 'lost';

/** States of a dispute. The patient's bank opens it and closes it once. */
export const DISPUTE: StateMachine<DisputeStatus, 'win' | 'lose'> = {
  open: { win: 'won', lose: 'lost' },
  won: {},
  lost: {},
};
