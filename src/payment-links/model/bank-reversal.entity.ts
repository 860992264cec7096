import { defineEntity, p } from '@mikro-orm/postgresql';
import { paymentColumns } from './of-payment.ts';

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
