import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TransactionStatus } from './transitions.ts';

const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    paymentLinkId: p.string(),
    status: p.string().$type<TransactionStatus>(),
    amountCents: p.integer(),
    /** Null until the processor tells its fee. */
    feeCents: p.integer().strictNullable(),
    netCents: p.integer().strictNullable(),
    paymentMethodType: p.string(),
    paymentMethodBrand: p.string().strictNullable(),
    paymentMethodLast4: p.string().strictNullable(),
    /** Set exactly when `failed`; machine-readable snake_case. */
    failureReason: p.string().strictNullable(),
    /** When the money settled; null while pending. */
    processedAt: p.datetime(3).strictNullable(),
    /** How it is called on the patient's statement; null until the processor tells it. */
    statementDescriptor: p.string().strictNullable(),
    /** Nine digits to be read aloud, drawn by the database; null for payments made before there were numbers. */
    paymentNumber: p.string().strictNullable().defaultRaw('new_payment_number()'),
    /** The attempt by which it was paid; null when simulated. */
    attemptId: p.string().strictNullable(),
    /** When the sweep asks the processor again; null when there is nothing left to learn. */
    reconcileAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** The payment of a link; at most one that did not fail. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
