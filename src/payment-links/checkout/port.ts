import type { SimulatePaymentLinkRequest } from '../../contract/operations-type.ts';
import type { Location } from '../../practices/location.entity.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import type { ClientAction, ClientConfig, MethodType } from '../../processors/processor.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { HOSTED_TEXTS } from '../state/fields.ts';

/** State of a hosted page. A page that can be paid has one of the first four. */
export type PageState =
  | ('payable' | 'requires_action' | 'in_progress' | 'throttled')
  | ('bank_pending' | 'paid' | 'bank_failed' | 'refunded' | 'bank_reversed')
  | ('expired' | 'cancelled' | 'unavailable');

/** Fields of rows that a page may show. Nothing else of the rows leaves this room. */
export const SHOWN_FIELDS = {
  link: ['token', 'test', 'amountCents', 'expiresAt', 'paidAt', ...HOSTED_TEXTS],
  practice: ['name', 'postalAddress', 'brandColor', 'logoHash', 'logoWidth', 'logoHeight'],
  location: ['name', 'city', 'state', 'timeZone'],
  payment: [
    'paymentMethodType',
    'paymentMethodBrand',
    'paymentMethodLast4',
    'processedAt',
    'paymentNumber',
    'statementDescriptor',
  ],
} as const;

type ShownField<Part extends keyof typeof SHOWN_FIELDS> = (typeof SHOWN_FIELDS)[Part][number];

/** All that a page receives about its link. */
export interface LinkPage extends Pick<PaymentLink, ShownField<'link'>> {
  state: PageState;
  linkId: string;
  practice: Pick<Practice, ShownField<'practice'>>;
  location: Pick<Location, ShownField<'location'>>;
  /** Telephone of the location, else of the practice, in E.164. */
  phone: string | null;
  payment: PagePayment | null;
  /** Authorisation of the payment's bank debit; null for cards, and after two years. */
  authorisation: { text: string; locale: string; at: Date } | null;
  /** Machine-readable reason of a recent failed attempt, if the link is still payable; else null. */
  lastFailure: string | null;
  /** Set when throttled after several declines. */
  throttledUntil: Date | null;
  /** Empty unless payable, and for test links, which offer the outcomes of `simulate`. */
  methods: readonly MethodType[];
  client: ClientConfig;
  /** True if Stripe's form offers Apple Pay and Google Pay. */
  offersWallets: boolean;
  /** Set in `requires_action`. */
  clientAction: ClientAction | null;
}

interface PagePayment extends Pick<Transaction, ShownField<'payment'>> {
  /** Refunds that succeeded, and pending ones. */
  refundedCents: number;
  refundingCents: number;
  /** Amount that the bank took back. The patient owes it again. */
  reversedCents: number;
}

export interface Submission {
  /** Amount on the button. */
  amountCents: number;
  methodType: MethodType;
  methodToken: string;
  locale: 'en' | 'es';
  address: string;
  userAgent: string;
  /** Text of the bank debit's authorisation that stood above the button; null for cards. */
  authorisationText: string | null;
}

export type SubmitResult =
  /** The only result that may have charged: the processor took the payment, or its outcome is not known yet. */
  | 'accepted'
  | 'declined'
  | 'requires_action'
  /** The link is in another state, or has another amount than the page showed. */
  | ('not_payable' | 'amount_changed')
  /** The attempt was cancelled on the way, for example because the processor did not answer. */
  | 'cancelled'
  /** The link is throttled, or the processor cannot be reached. */
  | 'try_later';

export interface ReceiptOrder {
  email: string;
  language: 'en' | 'es';
  /** Network address of the client. */
  limitAddress: string;
}

/** `too_many`: a limit is reached, or the link has no payment to confirm. */
export type ReceiptResult = 'queued' | 'too_many';

export interface PageService {
  /** Returns the page of a token; null for an unknown token. Changes nothing. */
  find(token: string): Promise<LinkPage | null>;
  /** Counts an opening of the page. Never waits and never throws. */
  countOpening(page: LinkPage): void;
  submit(token: string, submission: Submission): Promise<SubmitResult>;
  /**
   * Retrieves the payment after the patient returned from an action or pressed “Check again”. Cancels an attempt that was not charged, if
   * the process that submitted it is dead.
   */
  resume(token: string): Promise<SubmitResult>;
  /** Cancels the attempt that waits for the patient, so that the link can be paid another way. `accepted`: the payment was already made. */
  cancelAttempt(token: string): Promise<SubmitResult>;
  /** Approves or refuses the sandbox payment that waits for the patient. */
  answerInSandbox(token: string, approve: boolean): Promise<SubmitResult>;
  simulate(token: string, outcome: SimulatePaymentLinkRequest['outcome']): Promise<void>;
  /** Queues a mail with the receipt of a payment with real money. */
  requestReceipt(token: string, order: ReceiptOrder): Promise<ReceiptResult>;
}
