import { randomBytes } from 'node:crypto';
import { CURRENCY } from '../platform/base/money.ts';
import type { Scope } from '../platform/base/scope.ts';
import { type SqlValue, sql } from '../platform/database/query/sql.ts';
import type {
  Account,
  DisputeSnapshot,
  ListedPayment,
  MethodType,
  NotificationSubject,
  PaymentSnapshot,
  RefundSnapshot,
} from './processor.ts';
import { sandboxFeeCents } from './sandbox-methods.ts';

/* The tables of the sandbox. It simulates an outside system, so no statement runs in a transaction of the service. */

/** Job that sends a notification of the sandbox, at once or at a later time. */
export const SANDBOX_NOTIFY_TASK = 'sandbox_notification';

export interface SandboxMessage {
  id: string;
  accountId: string;
  subject: NotificationSubject;
}

/** A payment in the sandbox's tables. A pending debit becomes final as time passes. */
export interface SandboxPayment extends Pick<PaymentSnapshot, 'reference' | 'state' | 'amountCents' | 'failureReason'> {
  account: string;
  attempt: string;
  methodType: MethodType;
  methodToken: string;
  /** Time at which a debit becomes final; null for cards. */
  finalAt: string | null;
  /** Addition to the name on the statement; null for none. */
  suffix: string | null;
}

/** Expression of a payment's state at the time `$1`, or by the database's clock if `$1` is null. */
export const PAYMENT_STATE = `case when state = 'processing' and final_at <= coalesce($1, clock_timestamp())
  then case when failure_reason is null then 'succeeded' else 'failed' end
  else state end`;

/** Select list of `SandboxPayment`, with `$1` as in `PAYMENT_STATE`. */
export const PAYMENT = `reference, account, attempt, amount_cents as "amountCents", method_type as "methodType",
  ${PAYMENT_STATE} as state,
  failure_reason as "failureReason", method_token as "methodToken", final_at as "finalAt",
  statement_descriptor_suffix as suffix`;

/** Expression of a refund's state, with `$1` as in `PAYMENT_STATE`. */
export const REFUND_STATE = `case when state = 'pending' and final_at <= coalesce($1, clock_timestamp())
  then case when arrives then 'succeeded' else 'failed' end
  else state end`;

/** Select list of `RefundSnapshot`, with `$1` as in `PAYMENT_STATE`. */
export const REFUND = `reference, refund as "refundId", payment as "paymentReference", amount_cents as "amountCents",
  'usd' as currency, ${REFUND_STATE} as state`;

export function sandboxReference(kind: 'pay' | 'ref' | 'dsp' | 'msg'): string {
  return `sbx_${kind}_${randomBytes(12).toString('hex')}`;
}

export function runStatement<Row extends object>(
  scope: Scope,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  return sql<Row>(scope.em, text, values, { keepPlan: true });
}

export async function findPayment(scope: Scope, column: 'reference' | 'attempt', value: string) {
  const text = `select ${PAYMENT} from sandbox.payments where ${column} = $2`;
  const [payment] = await runStatement<SandboxPayment>(scope, text, [scope.clock.shared(), value]);
  return payment ?? null;
}

/** Returns all payments of an account. The sandbox records neither when they began nor for which link. */
export async function listPayments(scope: Scope, accountId: string): Promise<ListedPayment[]> {
  const rows = await runStatement<SandboxPayment>(
    scope,
    `select ${PAYMENT} from sandbox.payments where account = $2 order by reference desc`,
    [scope.clock.shared(), accountId],
  );
  return rows.map(({ reference, attempt: attemptId, state, amountCents }) => {
    return { reference, attemptId, paymentLinkId: null, state, amountCents };
  });
}

export function makeMessage(accountId: string, subject: NotificationSubject): SandboxMessage {
  return { id: sandboxReference('msg'), accountId, subject };
}

export async function notify(scope: Scope, accountId: string, subject: NotificationSubject, at: Date | null = null) {
  const message = JSON.stringify(makeMessage(accountId, subject));
  const text = 'select graphile_worker.add_job($1, $2::json, run_at := $3)';
  await runStatement(scope, text, [SANDBOX_NOTIFY_TASK, message, at]);
}

/** Converts a payment to the port's snapshot. */
export function paymentSnapshot(payment: SandboxPayment): PaymentSnapshot {
  const { state, methodType, amountCents, suffix } = payment;
  const descriptor = suffix === null ? 'PAYLINKS SANDBOX' : `PAYLINKS* ${suffix}`;
  return {
    reference: payment.reference,
    attemptId: payment.attempt,
    state,
    wasProcessing: state === 'failed' && payment.finalAt !== null,
    amountCents,
    currency: CURRENCY,
    method:
      methodType === 'card'
        ? { type: 'card', brand: 'visa', last4: '4242' }
        : { type: 'us_bank_account', brand: null, last4: '6789' },
    feeCents: state === 'succeeded' ? sandboxFeeCents(methodType, amountCents) : null,
    statementDescriptor: state === 'succeeded' ? descriptor : null,
    failureReason: state === 'failed' ? payment.failureReason : null,
    clientAction: state === 'requires_action' ? { kind: 'choice' } : null,
  };
}

/** Finds the refunds of a payment, oldest first, or the refund of our id. */
export function findRefunds(scope: Scope, column: 'payment' | 'refund', value: string): Promise<RefundSnapshot[]> {
  const text = `select ${REFUND} from sandbox.refunds where ${column} = $2 order by number`;
  return runStatement<RefundSnapshot>(scope, text, [scope.clock.shared(), value]);
}

/** Finds a dispute by its reference, or the disputes of a payment, within the account. */
export async function findDisputes(
  scope: Scope,
  account: Account,
  column: 'reference' | 'payment',
  value: string,
): Promise<DisputeSnapshot[]> {
  const rows = await runStatement<Omit<DisputeSnapshot, 'evidenceDueBy'> & { evidenceDueBy: string | null }>(
    scope,
    `select d.reference, d.payment as "paymentReference", d.amount_cents as "amountCents", 'usd' as currency, d.reason, d.state,
       d.evidence_due_by as "evidenceDueBy", d.is_bank_reversal as "isBankReversal"
     from sandbox.disputes d join sandbox.payments p on p.reference = d.payment
     where p.account = $1 and d.${column} = $2 order by d.reference`,
    [account.id, value],
  );
  return rows.map(({ evidenceDueBy: dueBy, ...row }) => ({
    ...row,
    evidenceDueBy: dueBy === null ? null : new Date(dueBy),
  }));
}
