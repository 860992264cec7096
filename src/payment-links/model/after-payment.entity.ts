import { defineEntity, p } from '@mikro-orm/postgresql';
import type { DisputeStatus, RefundStatus } from './transitions.ts';

/** Returns the properties of a refund, dispute or bank reversal that come from its payment. By them, lists have the order of payments. */
const paymentColumns = () => ({
  id: p.string().primary(),
  practiceId: p.string(),
  paymentLinkId: p.string(),
  transactionId: p.string(),
  test: p.boolean().strictNullable(),
  paidAt: p.datetime(3).strictNullable(),
  locationId: p.string().strictNullable(),
  paymentMethodType: p.string().strictNullable(),
});

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

export const BANK_REVERSAL = 'bank_reversal';

/** A full or partial refund of a transaction. */
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);

const DisputeSchema = defineEntity({
  name: 'Dispute',
  tableName: 'disputes',
  properties: {
    ...paymentColumns(),
    status: p.string().$type<DisputeStatus>(),
    amountCents: p.integer(),
    /** Machine-readable snake_case. */
    reason: p.string(),
    evidenceDueBy: p.datetime(3).strictNullable(),
    /** Null for a simulated dispute of a test link. */
    processorReference: p.string().strictNullable(),
    createdAt: p.datetime(3),
    closedAt: p.datetime(3).strictNullable(),
    /** The time at which a person said that the practice has sent its answer; null while it has not. */
    answeredAt: p.datetime(3).strictNullable(),
  },
});

/** A dispute that the patient's bank opened; one payment may have several. */
export class Dispute extends DisputeSchema.class {}
DisputeSchema.setClass(Dispute);

const BankReversalSchema = defineEntity({
  name: 'BankReversal',
  tableName: 'bank_reversals',
  properties: {
    ...paymentColumns(),
    /** The processor's id of the dispute that reported the reversal; of a test link `simulated:` and its transaction. */
    processorReference: p.string(),
    /** Amount that the bank took, also if only a part is recorded as refunds. */
    amountCents: p.integer(),
    createdAt: p.datetime(3),
  },
});

/** A settled debit, or a part of it, that a bank took back. */
export class BankReversal extends BankReversalSchema.class {}
BankReversalSchema.setClass(BankReversal);
