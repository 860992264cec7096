import { defineEntity, p } from '@mikro-orm/postgresql';
import type { RefundStatus } from './transitions.ts';

const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    paymentLinkId: p.string(),
    transactionId: p.string(),
    /** Mode, time, location and method of the payment. Lists of refunds, disputes and reversals have the order of the payments. */
    test: p.boolean().strictNullable(),
    paidAt: p.datetime(3).strictNullable(),
    locationId: p.string().strictNullable(),
    paymentMethodType: p.string().strictNullable(),
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

/** Reason of a refund that records a bank reversal. */
export const BANK_REVERSAL = 'bank_reversal';

/** A full or partial refund of a transaction. */
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);
