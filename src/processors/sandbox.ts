import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../platform/base/errors.ts';
import { CURRENCY } from '../platform/base/money.ts';
import type { Scope } from '../platform/base/scope.ts';
import {
  type Account,
  type Charge,
  type DisputeSnapshot,
  type Notification,
  type PaymentIntention,
  type PaymentSnapshot,
  type Processor,
  ProcessorUnavailable,
  type RefundRequest,
  type RefundSnapshot,
} from './processor.ts';
import {
  findDisputes,
  findPayment,
  findRefunds,
  listPayments,
  makeMessage,
  notify,
  PAYMENT,
  PAYMENT_STATE,
  paymentSnapshot,
  REFUND,
  REFUND_STATE,
  runStatement,
  SANDBOX_NOTIFY_TASK,
  type SandboxMessage,
  type SandboxPayment,
  sandboxReference,
} from './sandbox-ledger.ts';
import { BANK_RETURN_REASONS, sandboxMethod, tokensByRefund } from './sandbox-methods.ts';

/** The embedded processor. No money moves, and the chosen test method decides the outcome. */
export interface Sandbox extends Processor {
  readonly name: 'sandbox';
  readonly bank: SandboxBank;
  /** Signs a message, as it would arrive over the network. */
  signed(message: SandboxMessage): Promise<{ raw: Buffer; headers: Record<string, string> }>;
}

type NewDispute = Pick<DisputeSnapshot, 'reason' | 'amountCents' | 'evidenceDueBy'>;

/** Simulated patients and banks. Each action sends a notification. */
export interface SandboxBank {
  answerAction(reference: string, isApproved: boolean): Promise<void>;
  openDispute(paymentReference: string, dispute: NewDispute): Promise<string>;
  closeDispute(paymentReference: string, outcome: 'won' | 'lost'): Promise<string[]>;
}

interface SandboxOptions {
  /** Creates a scope for each statement, so that the sandbox never joins a transaction of the service. */
  newScope: () => Scope;
  /** Time in which a bank debit is pending before it settles or is returned. */
  settleSeconds: number;
}

const SIGNATURE_HEADER = 'sandbox-signature';

/** Returns true for the sandbox, which can simulate actions of patients and banks. */
export function isSandbox(processor: Processor): processor is Sandbox {
  return processor.name === 'sandbox';
}

export function createSandbox({ newScope, settleSeconds }: SandboxOptions): Sandbox {
  return {
    name: 'sandbox',
    takesNotifications: true,
    offersWallets: false,
    clientConfig: () => ({ collects: 'choice' }),
    begin: (intent) => begin(newScope(), intent),
    confirm: (charge, reference) => confirm(newScope(), charge, reference, settleSeconds),
    async retrieve(account, reference) {
      const payment = await findOwn(newScope(), account, reference);
      return payment && paymentSnapshot(payment);
    },
    async *listPayments(account) {
      yield await listPayments(newScope(), account.id);
    },
    cancel: (account, reference) => cancel(newScope(), account, reference),
    refund: (request) => refund(newScope(), request, settleSeconds),
    async retrieveRefunds(account, reference) {
      const payment = await findOwn(newScope(), account, reference);
      return payment === null ? [] : findRefunds(newScope(), 'payment', reference);
    },
    async retrieveDispute(account, reference) {
      const [dispute] = await findDisputes(newScope(), account, 'reference', reference);
      return dispute ?? null;
    },
    retrieveDisputes: (account, reference) => findDisputes(newScope(), account, 'payment', reference),
    verifyNotification: (raw, headers) => verify(newScope(), raw, headers[SIGNATURE_HEADER]),
    accounts: {
      implied: nameAccount,
      create: async ({ id }) => nameAccount(id),
      onboardingLink: async () => null,
      retrieve: async () => ({ paymentsEnabled: true, bankDebitsEnabled: true }),
    },
    bank: {
      answerAction: (reference, isApproved) => answerAction(newScope, reference, isApproved),
      openDispute: (paymentReference, dispute) => openDispute(newScope, paymentReference, dispute),
      closeDispute: (paymentReference, outcome) => closeDispute(newScope, paymentReference, outcome),
    },
    async signed(message) {
      const raw = Buffer.from(JSON.stringify(message));
      return { raw, headers: { [SIGNATURE_HEADER]: await sign(newScope(), raw) } };
    },
  };
}

function nameAccount(practiceId: string): Account {
  return { id: `sandbox_${practiceId}` };
}

/** Returns the practice of an account as SQL; null for an account of another processor. */
export function sandboxPracticeSql(accountId: string): string {
  return `substring(${accountId} from '^sandbox_(.*)$')`;
}

async function begin(scope: Scope, intent: PaymentIntention): Promise<string> {
  const [inserted] = await runStatement<{ reference: string }>(
    scope,
    `insert into sandbox.payments (reference, account, attempt, amount_cents, method_token, method_type, state,
       statement_descriptor_suffix)
     values ($1, $2, $3, $4, '', $5, 'created', $6) on conflict (attempt) do nothing returning reference`,
    [
      ...[sandboxReference('pay'), intent.account.id, intent.attemptId, intent.amountCents, intent.methodType],
      intent.methodType === 'card' ? intent.statementDescriptorSuffix : null,
    ],
  );
  const payment = inserted ?? (await findPayment(scope, 'attempt', intent.attemptId));
  if (payment === null) throw new Error('a payment exists after its insert');
  return payment.reference;
}

async function confirm(
  scope: Scope,
  charge: Charge,
  reference: string,
  settleSeconds: number,
): Promise<PaymentSnapshot> {
  const method = sandboxMethod(charge.methodToken, charge.methodType);
  const finalAt = method.state === 'processing' ? new Date(scope.clock.now().getTime() + settleSeconds * 1000) : null;
  const subject = { kind: 'payment', reference } as const;
  const [payment] = await runStatement<SandboxPayment>(
    scope,
    `with confirmed as (
       update sandbox.payments set method_token = $4, state = $5, failure_reason = $6, final_at = $7
       where reference = $2 and account = $3 and state = 'created' returning *
     ), notified as (select graphile_worker.add_job($8, $9::json) from confirmed)
     select ${PAYMENT}, (select count(*) from notified) as notified from confirmed`,
    [
      ...[scope.clock.shared(), reference, charge.account.id],
      ...[charge.methodToken, method.state, method.failureReason ?? null, finalAt],
      ...[SANDBOX_NOTIFY_TASK, JSON.stringify(makeMessage(charge.account.id, subject))],
    ],
  );
  if (payment === undefined) return findSnapshot(scope, charge.account, reference);
  if (finalAt !== null) await notify(scope, charge.account.id, subject, finalAt);
  if (method.fault === 'timeout') throw new ProcessorUnavailable(new Error('the answer was lost'));
  if (method.fault === 'crash') throw new Error('the process dies after the charge');
  return paymentSnapshot(payment);
}

async function cancel(scope: Scope, account: Account, reference: string): Promise<PaymentSnapshot> {
  await runStatement(
    scope,
    `update sandbox.payments set state = 'cancelled'
     where reference = $1 and account = $2 and state in ('created', 'requires_action')`,
    [reference, account.id],
  );
  return findSnapshot(scope, account, reference);
}

async function findSnapshot(scope: Scope, account: Account, reference: string): Promise<PaymentSnapshot> {
  const payment = await findOwn(scope, account, reference);
  if (payment === null) throw new Error('the sandbox has no payment of this reference in this account');
  return paymentSnapshot(payment);
}

async function findOwn(scope: Scope, account: Account, reference: string): Promise<SandboxPayment | null> {
  const payment = await findPayment(scope, 'reference', reference);
  return payment?.account === account.id ? payment : null;
}

/** Refuses more than the refunds and the patient's bank have left. Completes at once, unless the test method says otherwise. */
async function refund(scope: Scope, request: RefundRequest, settleSeconds: number): Promise<RefundSnapshot> {
  const { account, paymentReference, refundId, amountCents } = request;
  const finalAt = new Date(scope.clock.now().getTime() + settleSeconds * 1000);
  const message = makeMessage(account.id, { kind: 'payment', reference: paymentReference });
  const [newRefund] = await runStatement<RefundSnapshot>(
    scope,
    `with made as (
       insert into sandbox.refunds (reference, payment, refund, amount_cents, state, final_at, arrives)
       select $2, p.reference, $5, $6::integer,
         case when p.method_token = any ($8) then 'pending' else 'succeeded' end,
         case when p.method_token = any ($8) then $7::timestamptz end,
         p.method_token <> all ($9)
       from sandbox.payments p
       where p.reference = $4 and p.account = $3 and ${PAYMENT_STATE} = 'succeeded'
         and p.amount_cents >= $6::integer + (select coalesce(sum(r.amount_cents), 0)
           from sandbox.refunds r where r.payment = p.reference and ${REFUND_STATE} <> 'failed')
           + (select coalesce(sum(d.amount_cents), 0) from sandbox.disputes d
             where d.payment = p.reference and (d.state = 'lost' or d.is_bank_reversal))
       on conflict (refund) do nothing returning *
     ), notified as (select graphile_worker.add_job($10, $11::json, run_at := final_at) from made where final_at is not null)
     select ${REFUND} from made, (select count(*) from notified) as jobs`,
    [
      ...[scope.clock.shared(), sandboxReference('ref'), account.id, paymentReference, refundId, amountCents],
      ...[finalAt, tokensByRefund('later', 'fails'), tokensByRefund('fails')],
      ...[SANDBOX_NOTIFY_TASK, JSON.stringify(message)],
    ],
  );
  const [refund] = newRefund === undefined ? await findRefunds(scope, 'refund', refundId) : [newRefund];
  return refund ?? { reference: null, refundId, paymentReference, amountCents, currency: CURRENCY, state: 'failed' };
}

async function sign(scope: Scope, raw: Buffer): Promise<string> {
  const [row] = await runStatement<{ secret: string }>(scope, 'select secret from sandbox.secret');
  if (row === undefined) throw new Error('sandbox.secret has one row, which the migration inserts');
  return createHmac('sha256', row.secret).update(raw).digest('hex');
}

async function verify(scope: Scope, raw: Buffer, header: unknown): Promise<Notification | null> {
  const signature = Buffer.from(String(header ?? ''));
  const expected = Buffer.from(await sign(scope, raw));
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  // Only the sandbox can sign, so the message has its shape.
  return JSON.parse(raw.toString('utf8')) as SandboxMessage;
}

/** The patient approves or refuses a payment that waits for the patient. Other payments stay as they are. */
async function answerAction(newScope: () => Scope, reference: string, isApproved: boolean): Promise<void> {
  const payments = await runStatement<{ account: string }>(
    newScope(),
    `update sandbox.payments set state = $2, failure_reason = $3 where reference = $1 and state = 'requires_action'
     returning account`,
    [reference, isApproved ? 'succeeded' : 'failed', isApproved ? null : 'authentication_required'],
  );
  for (const { account } of payments) await notify(newScope(), account, { kind: 'payment', reference });
}

/**
 * The patient's bank disputes a payment. For a bank debit and a reason of a return, it takes the debit back. Returns the reference.
 * @throws ApiError `validation_error` if a dispute of the payment is open, or the bank has taken the debit back
 */
async function openDispute(newScope: () => Scope, paymentReference: string, dispute: NewDispute): Promise<string> {
  const payment = await requirePayment(newScope(), paymentReference);
  const reference = sandboxReference('dsp');
  const isBankReversal = payment.methodType === 'us_bank_account' && BANK_RETURN_REASONS.includes(dispute.reason);
  const disputes = await runStatement(
    newScope(),
    // Disputes of a former release have no row in `open_disputes`.
    `with opened as (
       insert into sandbox.open_disputes (payment)
       select $2 where not exists (select from sandbox.disputes where payment = $2 and state = 'open')
       on conflict do nothing returning payment)
     insert into sandbox.disputes (reference, payment, amount_cents, reason, state, evidence_due_by, is_bank_reversal)
     select $1, payment, $3::integer, $4, 'open', $5::timestamptz, $6::boolean from opened returning reference`,
    [reference, paymentReference, dispute.amountCents, dispute.reason, dispute.evidenceDueBy, isBankReversal],
  );
  if (disputes.length === 0) {
    const message = 'A dispute of this link is open already, or its bank has taken the debit back.';
    throw new ApiError('validation_error', { param: 'link', message });
  }
  await notify(newScope(), payment.account, { kind: 'dispute', reference });
  return reference;
}

/** The bank decides the open disputes of a payment. Only a former release could open several. Returns their references. */
async function closeDispute(newScope: () => Scope, paymentReference: string, outcome: 'won' | 'lost') {
  const payment = await requirePayment(newScope(), paymentReference);
  const disputes = await runStatement<{ reference: string }>(
    newScope(),
    `with closed as (
       update sandbox.disputes set state = $2 where payment = $1 and state = 'open' and not is_bank_reversal
       returning reference, payment
     ), freed as (delete from sandbox.open_disputes where payment in (select payment from closed))
     select reference from closed`,
    [paymentReference, outcome],
  );
  const references = disputes.map(({ reference }) => reference);
  for (const reference of references) await notify(newScope(), payment.account, { kind: 'dispute', reference });
  return references;
}

async function requirePayment(scope: Scope, reference: string) {
  const payment = await findPayment(scope, 'reference', reference);
  if (payment === null) throw new Error('the sandbox has no payment of this reference');
  return payment;
}
