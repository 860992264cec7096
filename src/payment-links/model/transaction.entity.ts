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
    /** Null until the processor reports its fee. */
    feeCents: p.integer().strictNullable(),
    netCents: p.integer().strictNullable(),
    paymentMethodType: p.string(),
    paymentMethodBrand: p.string().strictNullable(),
    paymentMethodLast4: p.string().strictNullable(),
    /** Set exactly when `failed`; machine-readable snake_case. */
    failureReason: p.string().strictNullable(),
    /** Time of settlement; null while pending. */
    processedAt: p.datetime(3).strictNullable(),
    /** Time at which the bank returned a pending debit; null for others, and for debits returned before version 3.0.0. */
    returnedAt: p.datetime(3).strictNullable(),
    /** Name of the payment on the patient's statement; null until the processor reports it. */
    statementDescriptor: p.string().strictNullable(),
    /** Nine digits for reading aloud, drawn by the database; null for payments older than this field. */
    paymentNumber: p.string().strictNullable().defaultRaw('(100000000 + floor(random() * 900000000))::integer::text'),
    /** The attempt that made the payment; null when simulated. */
    attemptId: p.string().strictNullable(),
    /** Time at which `reconcile_transactions` asks the processor again; null if nothing can change any more. */
    reconcileAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** The payment of a link. A link has at most one that did not fail. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);

/** Returns a query for columns of the latest transaction `t` of the link `l`. Each bank debit that came back is a further one. */
export function latestTransactionSql(columns: string): string {
  return `select ${columns} from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1`;
}
