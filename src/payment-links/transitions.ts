import type { StateMachine } from '../base/state-machine.ts';

export type LinkStatus = 'active' | 'paid' | 'expired' | 'cancelled';

/**
 * Section 3.1 of the interface. A link is born active. A submitted payment makes it paid, by bank debit at submission
 * already, because its page can't be paid again. It expires unpaid or is cancelled; cancelling again changes nothing.
 * Nothing leaves paid or expired: refunds and disputes live in the transaction.
 */
export const LINK: StateMachine<LinkStatus, 'update' | 'pay' | 'expire' | 'cancel'> = {
  active: { update: 'active', pay: 'paid', expire: 'expired', cancel: 'cancelled' },
  paid: {},
  expired: {},
  cancelled: { cancel: 'cancelled' },
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
