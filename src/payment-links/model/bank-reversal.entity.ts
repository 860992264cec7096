import { defineEntity, p } from '@mikro-orm/postgresql';

const BankReversalSchema = defineEntity({
  name: 'BankReversal',
  tableName: 'bank_reversals',
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
