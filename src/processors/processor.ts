/**
 * The port to payment processors: what the service asks of one, and nothing else. `sandbox.ts` and `stripe.ts`
 * implement it; one conformance suite holds both to it. What a processor refuses is a value; a processor that can't be
 * reached, or doesn't say what became of a call, throws `ProcessorUnavailable`.
 */
export interface Processor {
  readonly name: 'sandbox' | 'stripe';
  /** What patients of this account can pay with at present. */
  capabilities(account: Account): Promise<Capabilities>;
  /** What the page needs in the browser; holds no secret. */
  clientConfig(account: Account): ClientConfig;
  /** Charges. Idempotent by the attempt's id: a second call with the same id answers for the first. */
  confirm(attempt: Charge): Promise<PaymentSnapshot>;
  /** The payment as the processor has it now; null when it knows none of that attempt. */
  retrieve(account: Account, query: { attemptId: string; reference: string | null }): Promise<PaymentSnapshot | null>;
  /** Calls a payment off that is not final yet; answers with what it is now, which may be "already final". */
  cancel(account: Account, reference: string): Promise<PaymentSnapshot>;
  /** Gives money back. Idempotent by the refund's id. */
  refund(request: RefundRequest): Promise<RefundSnapshot>;
  /** The refunds of a payment, those made at the processor itself included. */
  retrieveRefunds(account: Account, reference: string): Promise<RefundSnapshot[]>;
  /** The dispute, or null when it is unknown. */
  retrieveDispute(account: Account, reference: string): Promise<DisputeSnapshot | null>;
  /** What a notification says, once its signature is verified; null when it is not from the processor. */
  verifyNotification(raw: Buffer, headers: NodeJS.Dict<string | string[]>): Notification | null;
  readonly accounts: {
    create(practice: { id: string; name: string; adminEmail: string }): Promise<Account>;
    /** Where the practice finishes onboarding; null when there is nothing left to do. */
    onboardingLink(account: Account, returnUrl: string): Promise<string | null>;
    retrieve(account: Account): Promise<{ paymentsEnabled: boolean }>;
  };
}

/** A practice's account at the processor, by the processor's id. */
export interface Account {
  id: string;
}

export interface Capabilities {
  card: boolean;
  bankDebit: boolean;
}

export type ClientConfig = { processor: 'sandbox' } | { processor: 'stripe'; publishableKey: string; accountId: string };

/** One charge. Our ids only: nothing of the patient goes to the processor. */
export interface Charge {
  account: Account;
  attemptId: string;
  paymentLinkId: string;
  practiceId: string;
  amountCents: number;
  currency: 'usd';
  /** What the page handed over: the sandbox's test method, or Stripe's confirmation token. */
  methodToken: string;
  methodType: MethodType;
  /** Where the processor may send the patient back to. */
  returnUrl: string;
  /** For the mandate of a bank debit. */
  customerAddress: string;
  customerUserAgent: string;
}

export type MethodType = 'card' | 'us_bank_account';

/** A payment as of one moment. */
export interface PaymentSnapshot {
  /** The processor's id. */
  reference: string;
  attemptId: string;
  /** requires_action: the patient must do something first (3-D Secure). processing: a bank debit under way. */
  state: 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled';
  amountCents: number;
  currency: string;
  method: { type: MethodType; brand: string | null; last4: string | null } | null;
  /** Null until the processor tells it. */
  feeCents: number | null;
  /** Machine-readable snake_case; set when failed. */
  failureReason: string | null;
  /** What the browser needs for the action; set while one is required. */
  clientAction: { kind: 'stripe'; clientSecret: string } | { kind: 'sandbox' } | null;
}

export interface RefundRequest {
  account: Account;
  /** The payment's reference. */
  paymentReference: string;
  refundId: string;
  amountCents: number;
}

export interface RefundSnapshot {
  reference: string;
  /** Ours, if it was made by us; null for one made at the processor. */
  refundId: string | null;
  paymentReference: string;
  amountCents: number;
  state: 'pending' | 'succeeded' | 'failed';
}

export interface DisputeSnapshot {
  reference: string;
  paymentReference: string;
  amountCents: number;
  /** Machine-readable snake_case. */
  reason: string;
  state: 'open' | 'won' | 'lost';
  evidenceDueBy: Date | null;
  /** The bank took a settled debit back: a reversal, not a dispute. */
  isBankReversal: boolean;
}

/** A verified message: which object changed. What it changed to is asked of the processor, never read off a message. */
export interface Notification {
  id: string;
  accountId: string | null;
  livemode: boolean;
  subject:
    | { kind: 'payment'; reference: string }
    | { kind: 'refund'; reference: string; paymentReference: string }
    | { kind: 'dispute'; reference: string }
    | { kind: 'account'; reference: string }
    | { kind: 'ignored' };
}

/** The processor could not be reached, or did not say what became of a call. Ask again with `retrieve`. */
export class ProcessorUnavailable extends Error {
  constructor(cause: unknown) {
    super('the payment processor is out of reach', { cause });
    this.name = 'ProcessorUnavailable';
  }
}
