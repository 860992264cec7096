/**
 * The port to payment processors. `sandbox.ts` and `stripe.ts` implement it, and one conformance suite tests both. A
 * refusal of the processor is a value. If the processor cannot be reached, or the outcome of a call is unknown, the call
 * throws `ProcessorUnavailable`.
 *
 * Four promises let the service charge at most once, also after failures:
 * - only `confirm` charges, by the reference of a payment that was begun, and once, however often it is repeated;
 * - a refund happens once for its id, however often it is repeated within a day;
 * - a payment that was reported as `failed` or `cancelled` is never charged, not even by a request still in flight;
 * - after `cancel` a payment is final, or a pending bank debit. After `confirm` it may also wait for the patient. A card
 *   payment whose outcome the processor does not know yet is `created` after either call.
 */
export interface Processor {
  readonly name: 'sandbox' | 'stripe';
  /** False without a secret to verify notifications. */
  readonly takesNotifications: boolean;
  /** True if its script can offer Apple Pay and Google Pay. */
  readonly offersWallets: boolean;
  clientConfig(account: Account): ClientConfig;
  /** Creates a payment without charging it. Returns its reference; null when the processor refuses. */
  begin(intent: PaymentIntention): Promise<string | null>;
  /** Charges a payment. A second call for the same attempt returns the outcome of the first. */
  confirm(charge: Charge, reference: string): Promise<PaymentSnapshot>;
  /** Returns null for an unknown reference. */
  retrieve(account: Account, reference: string): Promise<PaymentSnapshot | null>;
  /** Yields the payments of an account since a moment, newest first, in list pages. Earlier ones and others than ours may be among them. */
  listPayments(account: Account, since: Date): AsyncIterable<readonly ListedPayment[]>;
  /** Cancels a payment that is not final, so that it can never be confirmed. Returns its state afterwards. */
  cancel(account: Account, reference: string): Promise<PaymentSnapshot>;
  /** A second call for the same refund returns the outcome of the first. */
  refund(request: RefundRequest): Promise<RefundSnapshot>;
  /** Returns the refunds of a payment, oldest first, also refunds that were made at the processor itself. */
  retrieveRefunds(account: Account, paymentReference: string): Promise<RefundSnapshot[]>;
  /** Returns null for an unknown reference, and for an inquiry, which moves no money. */
  retrieveDispute(account: Account, reference: string): Promise<DisputeSnapshot | null>;
  /** Leaves inquiries out. */
  retrieveDisputes(account: Account, paymentReference: string): Promise<DisputeSnapshot[]>;
  /** Returns the content of a notification; null when the processor did not sign it. */
  verifyNotification(raw: Buffer, headers: NodeJS.Dict<string | string[]>): Promise<Notification | null>;
  readonly accounts: {
    /** Returns the account that a practice has without onboarding; null if onboarding is needed. */
    implied(practiceId: string): Account | null;
    /** Creates the account of a practice. A second call returns the same account. */
    create(practice: { id: string; name: string; adminEmail: string }): Promise<Account>;
    /** Returns the address where the practice completes onboarding; null when it is complete. */
    onboardingLink(account: Account, returnUrl: string): Promise<string | null>;
    retrieve(account: Account): Promise<AccountSnapshot>;
  };
}

/** Account of a practice, by the processor's id. */
export interface Account {
  id: string;
}

/** An account that we have lost has no ability. */
export interface AccountSnapshot {
  paymentsEnabled: boolean;
  bankDebitsEnabled: boolean;
}

/** Way in which the page collects a payment method: the patient chooses a test method, or the processor's script collects it. */
export type ClientConfig = { collects: 'choice' } | { collects: 'script'; publishableKey: string; accountId: string };

/** A payment to begin. It contains nothing of the patient. */
export interface PaymentIntention {
  account: Account;
  attemptId: string;
  paymentLinkId: string;
  amountCents: number;
  currency: 'usd';
  methodType: MethodType;
  /** The practice's addition to its name on card statements, of at most 10 printable ASCII characters; ignored for bank debits. */
  statementDescriptorSuffix: string | null;
}

export interface Charge extends PaymentIntention {
  /** Token from the page: a test method of the sandbox, or a confirmation token of Stripe. */
  methodToken: string;
  returnUrl: string;
  /** For the mandate of a bank debit. */
  customerAddress: string;
  customerUserAgent: string;
}

/** Kind of payment method, named as by Stripe and the contract. */
export type MethodType = 'card' | 'us_bank_account';

/**
 * State of a payment when the processor was asked. `created`: begun, no money taken. `requires_action`: the patient must act first
 * (3-D Secure). `processing`: a bank debit is pending. `declined`: the processor would accept another method; `cancel`
 * makes it `failed`. The other states are final, except for refunds and disputes.
 */
export type PaymentState =
  | ('created' | 'requires_action' | 'processing' | 'declined')
  | ('succeeded' | 'failed' | 'cancelled');

export interface PaymentSnapshot {
  reference: string;
  /** Our id; null for a payment that is not ours, such as one that the practice made at the processor. */
  attemptId: string | null;
  state: PaymentState;
  /** True if the debit was pending before it failed: the bank returned it. */
  wasProcessing: boolean;
  amountCents: number;
  currency: string;
  method: { type: MethodType; brand: string | null; last4: string | null } | null;
  /** Null until the processor reports it. */
  feeCents: number | null;
  /** Name of the payment on the patient's statement; null while the processor does not report it. */
  statementDescriptor: string | null;
  /** In snake_case; set when declined or failed. */
  failureReason: string | null;
  /** Set in `requires_action`. */
  clientAction: ClientAction | null;
}

/** Data that the browser needs for an action of the patient. The client secret must not be stored or logged. */
export type ClientAction = { kind: 'script'; clientSecret: string } | { kind: 'choice' };

export interface ListedPayment extends Pick<PaymentSnapshot, 'reference' | 'attemptId' | 'state' | 'amountCents'> {
  paymentLinkId: string | null;
}

/** `refundId` is our id, by which a repeated request is recognized. */
export interface RefundRequest {
  account: Account;
  paymentReference: string;
  refundId: string;
  amountCents: number;
}

export interface RefundSnapshot {
  /** The processor's id; null when the processor refused the refund. */
  reference: string | null;
  /** Our id; null for a refund made at the processor. */
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
  /** In snake_case. */
  reason: string;
  /** `withdrawn`: the bank ended it before it moved money. */
  state: 'open' | 'won' | 'lost' | 'withdrawn';
  evidenceDueBy: Date | null;
  /** True if the bank took a settled debit back. Such a bank reversal is not a dispute. */
  isBankReversal: boolean;
}

/** A verified message. It names the object that changed, whose state is always retrieved. */
export interface Notification {
  id: string;
  accountId: string | null;
  subject: NotificationSubject;
}

/** Object of a notification. `ignored`: another kind of message, or one of the processor's other mode. */
export type NotificationSubject =
  | { kind: 'payment'; reference: string }
  | { kind: 'dispute'; reference: string }
  | { kind: 'account' }
  | { kind: 'ignored' };

/** The processor could not be reached, or the outcome of a call is unknown. The caller asks again with `retrieve`. */
export class ProcessorUnavailable extends Error {
  constructor(cause: unknown, message = 'the payment processor could not be reached, or did not report an outcome') {
    super(message, { cause });
    this.name = new.target.name;
  }
}

/** We have lost the account: until the practice connects it again, its payments can be neither read nor changed. */
export class AccountLost extends ProcessorUnavailable {
  constructor(cause: unknown) {
    super(cause, 'the practice disconnected its account at the payment processor; it must connect it again');
  }
}

/** Converts a processor's reason to snake_case of at most 100 characters, as in our events. */
export function toReason(text: string | null | undefined, fallback: string): string {
  const reason = (text ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 100);
  return reason === '' ? fallback : reason;
}
