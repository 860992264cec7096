import type { Scope } from '../base/scope.ts';
import type { DisputeSnapshot } from './processor.ts';
import { book, findPayment, notify, type SandboxMessage, sandboxReference } from './sandbox-ledger.ts';
import { BANK_RETURN_REASONS } from './sandbox-methods.ts';

/** What patients, banks and the sandbox's own staff do: each is told by a notification, and returned as one. */
export interface SandboxBank {
  /** The patient passes the challenge that a payment waits for, or doesn't. Nothing happens to one that doesn't wait. */
  act(reference: string, approve: boolean): Promise<void>;
  /** The patient's bank disputes a payment, or takes a settled debit back when the reason says so. */
  openDispute(paymentReference: string, dispute: NewSandboxDispute): Promise<SandboxMessage>;
  /** The bank decides on the open dispute of a payment; null when there is none. */
  closeDispute(paymentReference: string, outcome: 'won' | 'lost'): Promise<SandboxMessage | null>;
  /** Somebody refunds at the sandbox itself. */
  refund(paymentReference: string, amountCents: number): Promise<void>;
  /** Refunds that were under way or done turn out not to arrive. */
  failRefunds(paymentReference: string): Promise<void>;
}

export type NewSandboxDispute = Pick<DisputeSnapshot, 'reason' | 'amountCents' | 'evidenceDueBy'>;

/** The sandbox's other side. */
export function createSandboxBank(newScope: () => Scope): SandboxBank {
  return {
    async act(reference, approve) {
      const acted = await book<{ account: string }>(
        newScope(),
        `update sandbox.payments set state = $2, failure_reason = $3 where reference = $1 and state = 'requires_action'
         returning account`,
        [reference, approve ? 'succeeded' : 'failed', approve ? null : 'authentication_required'],
      );
      for (const { account } of acted) await notify(newScope(), account, { kind: 'payment', reference });
    },
    async openDispute(paymentReference, dispute) {
      const payment = await known(newScope(), paymentReference);
      const reference = sandboxReference('dsp');
      const isBankReversal = payment.methodType === 'us_bank_account' && BANK_RETURN_REASONS.includes(dispute.reason);
      await book(
        newScope(),
        `insert into sandbox.disputes (reference, payment, amount_cents, reason, state, evidence_due_by, is_bank_reversal)
         values ($1, $2, $3, $4, 'open', $5, $6)`,
        [reference, paymentReference, dispute.amountCents, dispute.reason, dispute.evidenceDueBy, isBankReversal],
      );
      return told(payment.account, reference);
    },
    async closeDispute(paymentReference, outcome) {
      const payment = await known(newScope(), paymentReference);
      const [closed] = await book<{ reference: string }>(
        newScope(),
        `update sandbox.disputes set state = $2 where payment = $1 and state = 'open' and not is_bank_reversal
         returning reference`,
        [paymentReference, outcome],
      );
      return closed === undefined ? null : told(payment.account, closed.reference);
    },
    async refund(paymentReference, amountCents) {
      const payment = await known(newScope(), paymentReference);
      await book(
        newScope(),
        `insert into sandbox.refunds (reference, payment, amount_cents, state) values ($1, $2, $3, 'succeeded')`,
        [sandboxReference('ref'), paymentReference, amountCents],
      );
      await notify(newScope(), payment.account, { kind: 'payment', reference: paymentReference });
    },
    async failRefunds(paymentReference) {
      const payment = await known(newScope(), paymentReference);
      await book(newScope(), `update sandbox.refunds set state = 'failed' where payment = $1`, [paymentReference]);
      await notify(newScope(), payment.account, { kind: 'payment', reference: paymentReference });
    },
  };
}

async function known(scope: Scope, reference: string) {
  const payment = await findPayment(scope, { reference });
  if (payment === null) throw new Error('the sandbox knows no such payment');
  return payment;
}

function told(accountId: string, reference: string): SandboxMessage {
  return { id: sandboxReference('msg'), accountId, subject: { kind: 'dispute', reference } };
}
