import type { ClientAction, ClientConfig, MethodType } from '../../processors/processor.ts';

/*
 * The port between the hosted pages and payment links: the data of a page, and the actions of a patient.
 */

/** State of the hosted page. */
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

/** Data of a hosted page. Times are Dates, amounts cents; the page adds words and formats. */
export interface LinkPage {
  state: PageState;
  linkId: string;
  token: string;
  test: boolean;
  practice: { name: string };
  location: { name: string; city: string; state: string; timeZone: string };
  /** Telephone number of the location, else of the practice, in E.164. */
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
    /** Succeeded refunds of the practice. */
    refundedCents: number;
    /** Pending refunds. */
    refundingCents: number;
    /** Taken back by the bank; the patient owes this again. */
    reversedCents: number;
    /** Nine digits that can be read aloud; null for payments made before there were numbers. */
    number: string | null;
    /** Name of the payment on the patient's statement; null if the processor does not report it. */
    statementDescriptor: string | null;
  } | null;
  /** The patient's authorisation of the bank debit; null for cards, and after two years. */
  authorisation: { text: string; locale: string; at: Date } | null;
  /** Machine-readable reason of the latest attempt's failure in the last 30 minutes; null unless payable. */
  lastFailure: string | null;
  /** End of throttling; set when throttled. */
  throttledUntil: Date | null;
  /** Payment methods; empty unless payable. A test link has none, since its page offers the outcomes of `simulate`. */
  methods: readonly MethodType[];
  client: ClientConfig;
  /** Data for the browser to finish an action; set when requires_action. */
  clientAction: ClientAction | null;
}

/** Submission of a patient. */
export interface Submission {
  /** The amount on the button, in cents. If the link's amount differs, the link is not charged. */
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
 * Result of a submission. The page then loads its state again.
 *
 * - `accepted`: taken; the outcome may still be unknown. For all other results nothing was charged.
 * - `declined`: the processor or the bank refused the payment.
 * - `requires_action`: the patient must take a step, such as 3-D Secure.
 * - `not_payable`: the link cannot be paid.
 * - `amount_changed`: the link can be paid, with another amount.
 * - `called_off`: the attempt was cancelled, for example because the processor did not answer.
 * - `try_later`: the link is throttled, or the processor cannot cancel now.
 */
export type SubmitResult =
  | 'accepted'
  | 'declined'
  | 'requires_action'
  | 'not_payable'
  | 'amount_changed'
  | 'called_off'
  | 'try_later';

/** Service of the hosted pages. */
export interface PageService {
  /** Returns the page's data; null for an unknown token. Changes nothing. */
  find(token: string): Promise<LinkPage | null>;
  submit(token: string, submission: Submission): Promise<SubmitResult>;
  /**
   * Asks the processor about the open attempt when the patient comes back from an action or checks again. Cancels an
   * uncharged attempt whose submitting process is gone.
   */
  resume(token: string): Promise<SubmitResult>;
  /**
   * Cancels an attempt whose action the patient does not want to finish, so that the link can be paid another way.
   * Returns `called_off`; `accepted` if the cancellation came too late; `try_later` if the processor does not answer.
   */
  giveUp(token: string): Promise<SubmitResult>;
  /** Approves or refuses the payment that waits for the sandbox's action. */
  actInSandbox(token: string, approve: boolean): Promise<SubmitResult>;
  /** Simulates an outcome on a test link. */
  simulate(
    token: string,
    outcome: 'paid' | 'processing' | 'processing_then_paid' | 'failed' | 'expired',
  ): Promise<void>;
}
