import { ApiError } from '../platform/base/errors.ts';
import type { Scope } from '../platform/base/scope.ts';
import type { SqlValue } from '../platform/database/query/sql.ts';
import type { DisputeSnapshot } from './processor.ts';
import { findPayment, notify, runStatement, sandboxReference } from './sandbox-ledger.ts';
import { BANK_RETURN_REASONS } from './sandbox-methods.ts';

type NewDispute = Pick<DisputeSnapshot, 'reason' | 'amountCents' | 'evidenceDueBy'>;

/** Actions of patients, banks and the sandbox's staff. Each sends a notification. */
export type SandboxBank = ReturnType<typeof createSandboxBank>;

/** Creates the simulated patients and banks of the sandbox. */
export function createSandboxBank(newScope: () => Scope) {
  const changeRefunds = async (reference: string, text: string, values: readonly SqlValue[]): Promise<void> => {
    const { account } = await requirePayment(newScope(), reference);
    await runStatement(newScope(), text, [reference, ...values]);
    await notify(newScope(), account, { kind: 'payment', reference });
  };
  return {
    /** The patient approves or refuses a payment that waits for the patient. Other payments stay as they are. */
    async answerAction(reference: string, isApproved: boolean): Promise<void> {
      const payments = await runStatement<{ account: string }>(
        newScope(),
        `update sandbox.payments set state = $2, failure_reason = $3 where reference = $1 and state = 'requires_action'
         returning account`,
        [reference, isApproved ? 'succeeded' : 'failed', isApproved ? null : 'authentication_required'],
      );
      for (const { account } of payments) await notify(newScope(), account, { kind: 'payment', reference });
    },
    openDispute: (paymentReference: string, dispute: NewDispute) => openDispute(newScope, paymentReference, dispute),
    closeDispute: (paymentReference: string, outcome: 'won' | 'lost') =>
      closeDispute(newScope, paymentReference, outcome),
    /** The practice refunds a payment at the sandbox itself. */
    refund: (paymentReference: string, amountCents: number) =>
      changeRefunds(
        paymentReference,
        `insert into sandbox.refunds (payment, reference, amount_cents, state) values ($1, $2, $3, 'succeeded')`,
        [sandboxReference('ref'), amountCents],
      ),
    /** All refunds of a payment fail, also complete ones. */
    failRefunds: (paymentReference: string) =>
      changeRefunds(paymentReference, `update sandbox.refunds set state = 'failed' where payment = $1`, []),
  };
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
