import type { ClientAction, ClientConfig, MethodType } from '../processors/processor.ts';

/*
 * What the hosted page is told about a link and what it may ask for: the whole border between `pages` and the rest.
 */

/** Which page the patient sees. */
export type PageState =
  | 'payable'
  | 'requires_action'
  | 'in_progress'
  | 'throttled'
  | 'bank_pending'
  | 'paid'
  | 'bank_failed'
  | 'refunded'
  | 'bank_reversed'
  | 'expired'
  | 'cancelled'
  | 'unavailable';

/** Everything a page shows. Times are Dates, amounts cents: words and formats are the page's. */
export interface LinkPage {
  state: PageState;
  linkId: string;
  token: string;
  test: boolean;
  practice: { name: string };
  location: { name: string; city: string; state: string; timeZone: string };
  /** Whom the patient may call, in E.164: the location, else the practice. */
  phone: string | null;
  description: string;
  amountCents: number;
  expiresAt: Date;
  paidAt: Date | null;
  payment: {
    methodType: MethodType;
    brand: string | null;
    last4: string | null;
    processedAt: Date | null;
    /** Given back by the practice. */
    refundedCents: number;
    /** On its way back, and not there yet. */
    refundingCents: number;
    /** Taken back by the bank, and owed again. */
    reversedCents: number;
    /** Nine digits that can be read aloud; null for payments made before there were numbers. */
    number: string | null;
    /** How it is called on the patient's statement; null where the processor doesn't tell. */
    statementDescriptor: string | null;
  } | null;
  /** What the patient authorised the payment's bank debit with; null for cards, and two years later. */
  authorisation: { text: string; locale: string; at: Date } | null;
  /** Why the latest attempt failed, if it did not long ago and the link is payable still; machine-readable. */
  lastFailure: string | null;
  /** Until when no payment is taken after several declines; set when throttled. */
  throttledUntil: Date | null;
  /** What can be paid with now; empty unless payable, and for test links, which offer the outcomes of `simulate`. */
  methods: readonly MethodType[];
  client: ClientConfig;
  /** What the browser needs to finish an action; set when requires_action. */
  clientAction: ClientAction | null;
}

/** What a patient submits. */
export interface Submission {
  /** What stood on the button, in cents: a link whose amount was changed since is not charged. */
  amountCents: number;
  methodType: MethodType;
  methodToken: string;
  /** Language of the page, for the record of the authorisation. */
  locale: 'en' | 'es';
  address: string;
  userAgent: string;
  /** The text of the bank debit's authorisation as it stood above the button; null for cards. */
  authorisationText: string | null;
}

/**
 * What became of a submission; the page's next state is asked for afresh. Accepted: taken, though the outcome may not be
 * known yet. For all that follow nothing was charged. Not payable: the link is not. Amount changed: it is, for another
 * amount. Called off: the payment was given up on the way, such as for a processor that doesn't answer. Try later: the
 * link is throttled.
 */
export type SubmitResult =
  | 'accepted'
  | 'declined'
  | 'requires_action'
  | 'not_payable'
  | 'amount_changed'
  | 'cancelled'
  | 'try_later';

/** The service behind the pages. */
export interface PageService {
  /** Null for a token that is nobody's. Changes nothing. */
  find(token: string): Promise<LinkPage | null>;
  submit(token: string, submission: Submission): Promise<SubmitResult>;
  /**
   * The patient came back from an action, gave it up, or wants to know what became of a payment: looks again at the
   * processor. A payment that nobody charged is called off, if the process that submitted it is gone.
   */
  resume(token: string): Promise<SubmitResult>;
  /**
   * The patient doesn't want to finish the action: calls the attempt off, so that the link can be paid another way.
   * Called off, or accepted when it came too late; try later while the processor is away.
   */
  cancelAttempt(token: string): Promise<SubmitResult>;
  /** The sandbox's own step: approve or refuse the payment that waits for it. */
  actInSandbox(token: string, approve: boolean): Promise<SubmitResult>;
  /** Test links: what `simulate` does. */
  simulate(
    token: string,
    outcome: 'paid' | 'processing' | 'processing_then_paid' | 'failed' | 'expired',
  ): Promise<void>;
}
