import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Account, MethodType } from '../../processors/processor.ts';
import type { AttemptStatus } from './transitions.ts';

const PaymentAttemptSchema = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempts',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    paymentLinkId: p.string(),
    status: p.string().$type<AttemptStatus>(),
    processor: p.string(),
    processorAccountId: p.string(),
    /** The processor's id of the payment; null until the processor has begun it. */
    processorReference: p.string().strictNullable(),
    methodType: p.string().$type<MethodType>(),
    /** Amount that the patient agreed to. A payment of another amount is refused. */
    amountCents: p.integer(),
    currency: p.string().$type<'usd'>(),
    /** Set exactly when `failed`; machine-readable snake_case. */
    failureReason: p.string().strictNullable(),
    /** Language of the hosted page. Part of the record of the authorisation, cleared after two years. */
    locale: p.string().strictNullable(),
    /** The patient's network address; never logged. */
    address: p.string().strictNullable(),
    /** The bank debit's authorisation as it stood above the button; null for cards. Cleared after two years. */
    authorisationText: p.text().strictNullable(),
    /** SHA-256 of that text; the only record of attempts made before texts were kept. */
    authorisationHash: p.blob().strictNullable(),
    createdAt: p.datetime(3),
    closedAt: p.datetime(3).strictNullable(),
    /** Time at which `reconcile_attempts` asks for the outcome; null once it is known. Set on an abandoned attempt in doubt. */
    reconcileAt: p.datetime(3).strictNullable(),
  },
});

/** One submission of a hosted page. A link has at most one open attempt. */
export class PaymentAttempt extends PaymentAttemptSchema.class {}
PaymentAttemptSchema.setClass(PaymentAttempt);

/** Returns the account at which the attempt began. */
export function getAccount({ processorAccountId }: Pick<PaymentAttempt, 'processorAccountId'>): Account {
  return { id: processorAccountId };
}
