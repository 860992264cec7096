import type { StateMachine } from '../../base/state-machine.ts';

export type LinkStatus = 'active' | 'paid' | 'expired' | 'cancelled';

/**
 * Section 3.1 of the interface. A link is born active. A submitted payment makes it paid, by bank debit at submission
 * already, because its page can't be paid again. It expires unpaid or is cancelled; cancelling again changes nothing.
 * Nothing leaves paid: refunds and disputes live in the transaction. Money that turns out to have been taken before the
 * link was closed wins over expired and cancelled.
 */
export const LINK: StateMachine<LinkStatus, 'update' | 'pay' | 'pay_late' | 'expire' | 'cancel'> = {
  active: { update: 'active', pay: 'paid', expire: 'expired', cancel: 'cancelled' },
  paid: {},
  expired: { pay_late: 'paid' },
  cancelled: { cancel: 'cancelled', pay_late: 'paid' },
};

export type AttemptStatus = 'open' | 'requires_action' | 'accepted' | 'failed' | 'cancelled';

/**
 * An attempt to pay is open from before the processor hears of it until it is known what became of it; in between the
 * patient may have to do something. Accepted: the money was taken, or the debit is under way, and the transaction tells
 * the rest. Failed: declined. Cancelled: called off. The processor promises that nothing is taken after either; if it
 * is, the money counts.
 */
export const ATTEMPT: StateMachine<AttemptStatus, 'wait' | 'accept' | 'fail' | 'cancel' | 'accept_late'> = {
  open: { wait: 'requires_action', accept: 'accepted', fail: 'failed', cancel: 'cancelled' },
  requires_action: { wait: 'requires_action', accept: 'accepted', fail: 'failed', cancel: 'cancelled' },
  accepted: {},
  failed: { accept_late: 'accepted' },
  cancelled: { accept_late: 'accepted' },
};

export type TransactionStatus = 'pending' | 'succeeded' | 'failed' | 'refunded';

/**
 * Section 3.2. A card transaction is born succeeded, a bank debit pending until it settles or is returned. A partial
 * refund leaves it succeeded until refunds that did not fail add up to the amount; a refund that fails afterwards
 * brings it back. A bank reversal is a refund of the whole. Disputes leave it alone.
 */
export const TRANSACTION: StateMachine<
  TransactionStatus,
  'settle' | 'return' | 'refund_fully' | 'refund_partly' | 'refund_failed'
> = {
  pending: { settle: 'succeeded', return: 'failed' },
  succeeded: { refund_fully: 'refunded', refund_partly: 'succeeded', refund_failed: 'succeeded' },
  failed: {},
  refunded: { refund_failed: 'succeeded' },
};

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

/** A refund is born pending at the processor, which completes it or gives up. */
export const REFUND: StateMachine<RefundStatus, 'succeed' | 'fail'> = {
  pending: { succeed: 'succeeded', fail: 'failed' },
  succeeded: { fail: 'failed' },
  failed: {},
};

export type DisputeStatus = 'open' | 'won' | 'lost';

/** A dispute is opened by the patient's bank and closed once. */
export const DISPUTE: StateMachine<DisputeStatus, 'win' | 'lose'> = {
  open: { win: 'won', lose: 'lost' },
  won: {},
  lost: {},
};
