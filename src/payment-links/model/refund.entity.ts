import { defineEntity, p } from '@mikro-orm/postgresql';
import { paymentColumns } from './of-payment.ts';
import type { RefundStatus } from './transitions.ts';

const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...paymentColumns(),
    amountCents: p.integer(),
    status: p.string().$type<RefundStatus>(),
    reason: p.text().strictNullable(),
    /** The processor's id of the refund, or the reference of the bank reversal. */
    processorReference: p.string().strictNullable(),
    /** The bank reversal that the refund is part of; null for a requested refund. */
    bankReversalId: p.string().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** Reasons for which a refund that failed is settled. Free text could name a patient. */
export const REFUND_SETTLED_REASONS = ['paid_another_way', 'not_due'] as const;

export type RefundSettledReason = (typeof REFUND_SETTLED_REASONS)[number];

/** Reason of a refund that records a bank reversal. */
export const BANK_REVERSAL = 'bank_reversal';

/** A full or partial refund of a transaction. */
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);
