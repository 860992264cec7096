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
    amountCents: p.integer(),
    status: p.string().$type<RefundStatus>(),
    reason: p.text().strictNullable(),
    /** The processor's id of the refund, or of the dispute by which a bank took the money back. */
    processorReference: p.string().strictNullable(),
    /** The bank reversal that it is part of; null when somebody asked for it. */
    bankReversalId: p.string().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** The reason of a refund that nobody asked for: the bank took a settled debit back. */
export const BANK_REVERSAL = 'bank_reversal';

/** Money given back, in whole or in part. */
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);
