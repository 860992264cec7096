import type { Scope } from '../base/scope.ts';
import type { DisputeSnapshot } from './processor.ts';
import {
  findPayment,
  messageOf,
  notify,
  runStatement,
  type SandboxMessage,
  sandboxReference,
} from './sandbox-ledger.ts';
import { BANK_RETURN_REASONS } from './sandbox-methods.ts';

/** Actions of patients, banks and the sandbox's staff. Each sends a notification, or returns it. */
export interface SandboxBank {
  /** The patient approves or refuses a payment that waits for the patient. Other payments stay as they are. */
  act(reference: string, approve: boolean): Promise<void>;
  /** The patient's bank disputes a payment. For a bank debit and a reason of a return, it takes the debit back. */
  openDispute(paymentReference: string, dispute: NewSandboxDispute): Promise<SandboxMessage>;
  /** The bank decides the open dispute of a payment. Returns null when there is none. */
  closeDispute(paymentReference: string, outcome: 'won' | 'lost'): Promise<SandboxMessage | null>;
  /** The practice refunds a payment at the sandbox itself. */
  refund(paymentReference: string, amountCents: number): Promise<void>;
  /** All refunds of a payment fail, also those that are complete. */
  failRefunds(paymentReference: string): Promise<void>;
}

export type NewSandboxDispute = Pick<DisputeSnapshot, 'reason' | 'amountCents' | 'evidenceDueBy'>;

/** Creates the simulated patients and banks of the sandbox. */
export function createSandboxBank(newScope: () => Scope): SandboxBank {
  return {
    async act(reference, approve) {
      const acted = await runStatement<{ account: string }>(
        newScope(),
        `update sandbox.payments set state = $2, failure_reason = $3 where reference = $1 and state = 'requires_action'
         returning account`,
        [reference, approve ? 'succeeded' : 'failed', approve ? null : 'authentication_required'],
      );
      for (const { account } of acted) await notify(newScope(), account, { kind: 'payment', reference });
    },
    async openDispute(paymentReference, dispute) {
      const payment = await paymentOf(newScope(), paymentReference);
      const reference = sandboxReference('dsp');
      const isBankReversal = payment.methodType === 'us_bank_account' && BANK_RETURN_REASONS.includes(dispute.reason);
      await runStatement(
        newScope(),
        `insert into sandbox.disputes (reference, payment, amount_cents, reason, state, evidence_due_by, is_bank_reversal)
         values ($1, $2, $3, $4, 'open', $5, $6)`,
        [reference, paymentReference, dispute.amountCents, dispute.reason, dispute.evidenceDueBy, isBankReversal],
      );
      return messageOf(payment.account, { kind: 'dispute', reference });
    },
    async closeDispute(paymentReference, outcome) {
      const payment = await paymentOf(newScope(), paymentReference);
      const [closed] = await runStatement<{ reference: string }>(
        newScope(),
        `update sandbox.disputes set state = $2 where payment = $1 and state = 'open' and not is_bank_reversal
         returning reference`,
        [paymentReference, outcome],
      );
      return closed === undefined ? null : messageOf(payment.account, { kind: 'dispute', reference: closed.reference });
    },
    async refund(paymentReference, amountCents) {
      const payment = await paymentOf(newScope(), paymentReference);
      await runStatement(
        newScope(),
        `insert into sandbox.refunds (reference, payment, amount_cents, state) values ($1, $2, $3, 'succeeded')`,
        [sandboxReference('ref'), paymentReference, amountCents],
      );
      await notify(newScope(), payment.account, { kind: 'payment', reference: paymentReference });
    },
    async failRefunds(paymentReference) {
      const payment = await paymentOf(newScope(), paymentReference);
      await runStatement(newScope(), `update sandbox.refunds set state = 'failed' where payment = $1`, [
        paymentReference,
      ]);
      await notify(newScope(), payment.account, { kind: 'payment', reference: paymentReference });
    },
  };
}

async function paymentOf(scope: Scope, reference: string) {
  const payment = await findPayment(scope, { reference });
  if (payment === null) throw new Error('the sandbox has no payment of this reference');
  return payment;
}
