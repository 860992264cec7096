/**
 * The port to payment processors: what the service asks of one, and nothing else. `sandbox.ts` and `stripe.ts`
 * implement it; one conformance suite holds both to it. What a processor refuses is a value; a processor that can't be
 * reached, or doesn't say what became of a call, throws `ProcessorUnavailable`.
 *
 * Four promises let the service charge at most once, whatever breaks down in between:
 * - nothing is charged but by the reference of a payment that was begun, and that once, however often it is asked;
 * - a refund happens once for its id, however often it is asked within a day;
 * - a payment told as `failed` or `cancelled` can't be charged any more, not even by a request still on its way;
 * - after `cancel` a payment is final, or a bank debit under way; after `confirm` it may also wait for the patient. A
 *   card of which the processor itself doesn't know yet is `created` after either.
 */
export interface Processor {
  readonly name: 'sandbox' | 'stripe';
  /** False when it was given nothing to verify notifications by. */
  readonly takesNotifications: boolean;
  /** What the page needs in the browser; holds no secret. */
  clientConfig(account: Account): ClientConfig;
  /**
   * Makes a payment known to the processor: its reference, or null when the processor refuses it. Nothing is charged,
   * nor can be, until somebody confirms it by that reference; so an answer that is lost costs nothing.
   */
  begin(intent: PaymentIntention): Promise<string | null>;
  /** Charges what was begun. A second call for the same attempt answers for the first. */
  confirm(charge: Charge, reference: string): Promise<PaymentSnapshot>;
  /** The payment as the processor has it now; null when it knows no such reference. Changes nothing. */
  retrieve(account: Account, reference: string): Promise<PaymentSnapshot | null>;
  /** Calls off what is not final yet, so that it can't be confirmed later; answers with what the payment is now. */
  cancel(account: Account, reference: string): Promise<PaymentSnapshot>;
  /** Gives money back. A second call for the same refund answers for the first. */
  refund(request: RefundRequest): Promise<RefundSnapshot>;
  /** The refunds of a payment, oldest first, those made at the processor itself included. */
  retrieveRefunds(account: Account, paymentReference: string): Promise<RefundSnapshot[]>;
  /** The dispute; null when it is unknown, or a mere inquiry that moves no money. */
  retrieveDispute(account: Account, reference: string): Promise<DisputeSnapshot | null>;
  /** The disputes of a payment, mere inquiries left out. */
  retrieveDisputes(account: Account, paymentReference: string): Promise<DisputeSnapshot[]>;
  /** What a notification says, once its signature is verified; null when it is not from the processor. */
  verifyNotification(raw: Buffer, headers: NodeJS.Dict<string | string[]>): Promise<Notification | null>;
  readonly accounts: {
    /** The account that a practice has without onboarding; null where it needs one. */
    implied(practiceId: string): Account | null;
    /** The account of a practice; asked again, the same. */
    create(practice: { id: string; name: string; adminEmail: string }): Promise<Account>;
    /** Where the practice finishes onboarding; null when there is nothing left to do. */
    onboardingLink(account: Account, returnUrl: string): Promise<string | null>;
    retrieve(account: Account): Promise<AccountSnapshot>;
  };
}

/** A practice's account at the processor, by the processor's id. */
export interface Account {
  id: string;
}

/** What an account can do at present; one that was taken away from us can do nothing. */
export interface AccountSnapshot {
  paymentsEnabled: boolean;
  bankDebitsEnabled: boolean;
}

export type ClientConfig =
  | { processor: 'sandbox' }
  | { processor: 'stripe'; publishableKey: string; accountId: string };

/** What we mean to charge. Our ids only: nothing of the patient. */
export interface PaymentIntention {
  account: Account;
  attemptId: string;
  paymentLinkId: string;
  amountCents: number;
  currency: 'usd';
  methodType: MethodType;
}

/** One charge. */
export interface Charge extends PaymentIntention {
  /** What the page handed over: the sandbox's test method, or Stripe's confirmation token. */
  methodToken: string;
  /** Where the processor may send the patient back to. */
  returnUrl: string;
  /** For the mandate of a bank debit. */
  customerAddress: string;
  customerUserAgent: string;
}

export type MethodType = 'card' | 'us_bank_account';

/**
 * How far a payment is. `created`: begun, nothing taken yet. `requires_action`: the patient must do something first
 * (3-D Secure). `processing`: a bank debit under way. `declined`: the processor would still take another method for it;
 * `cancel` makes it `failed`. The others are final, but for refunds and disputes.
 */
export type PaymentState =
  | 'created'
  | 'requires_action'
  | 'processing'
  | 'declined'
  | 'succeeded'
  | 'failed'
  | 'cancelled';

/** A payment as of one moment. */
export interface PaymentSnapshot {
  /** The processor's id. */
  reference: string;
  /** Ours; null for a payment that is none of ours, such as one the practice made at the processor itself. */
  attemptId: string | null;
  state: PaymentState;
  /** Declined or failed after the bank debit had been under way: returned, not refused. */
  wasProcessing: boolean;
  amountCents: number;
  currency: string;
  method: { type: MethodType; brand: string | null; last4: string | null } | null;
  /** Null until the processor tells it. */
  feeCents: number | null;
  /** How the payment is called on the patient's statement; null until the processor tells it, and where it never does. */
  statementDescriptor: string | null;
  /** Machine-readable snake_case; set when declined or failed. */
  failureReason: string | null;
  /** What the browser needs for the action; set while one is required. */
  clientAction: ClientAction | null;
}

export type ClientAction = { kind: 'stripe'; clientSecret: string } | { kind: 'sandbox' };

export interface RefundRequest {
  account: Account;
  /** The payment's reference. */
  paymentReference: string;
  refundId: string;
  amountCents: number;
}

export interface RefundSnapshot {
  /** The processor's id; null when it refused before it gave one. */
  reference: string | null;
  /** Ours, if it was made by us; null for one made at the processor. */
  refundId: string | null;
  paymentReference: string;
  amountCents: number;
  currency: string;
  state: 'pending' | 'succeeded' | 'failed';
}

export interface DisputeSnapshot {
  reference: string;
  paymentReference: string;
  amountCents: number;
  currency: string;
  /** Machine-readable snake_case. */
  reason: string;
  /** Withdrawn: settled before it became a dispute that moves money, or that is heard of. */
  state: 'open' | 'won' | 'lost' | 'withdrawn';
  evidenceDueBy: Date | null;
  /** The bank took a settled debit back: a reversal, not a dispute. */
  isBankReversal: boolean;
}

/** A verified message: which object changed. What it changed to is asked of the processor, never read off a message. */
export interface Notification {
  id: string;
  accountId: string | null;
  subject: NotificationSubject;
}

/** `ignored` covers what doesn't concern us, messages of the processor's other mode included. */
export type NotificationSubject =
  | { kind: 'payment'; reference: string }
  | { kind: 'dispute'; reference: string }
  | { kind: 'account' }
  | { kind: 'ignored' };

/** The processor could not be reached, or did not say what became of a call. Ask again with `retrieve`. */
export class ProcessorUnavailable extends Error {
  constructor(cause: unknown) {
    super('the payment processor is out of reach', { cause });
    this.name = 'ProcessorUnavailable';
  }
}

/**
 * The account was taken away from us: nothing is told of its payments, and nothing can be done about them, until it
 * is given back.
 */
export class AccountLost extends ProcessorUnavailable {
  constructor(cause: unknown) {
    super(cause);
    this.name = 'AccountLost';
    this.message = 'the account at the payment processor is not ours any more';
  }
}

/** A processor's word for why it declined, as our events show it: snake_case, at most 100 characters. */
export function reasonOf(text: string | null | undefined, fallback: string): string {
  const reason = (text ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 100);
  return reason === '' ? fallback : reason;
}
