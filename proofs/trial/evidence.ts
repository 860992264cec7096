import type { Arrival } from './receivers.ts';

/** Runs a statement on the database under examination. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A rule about the tables, compared with what someone outside of the service knows. `find` describes what breaks it. */
export interface Rule<Known = void> {
  name: string;
  find: (query: Query, known: Known) => Promise<string[]>;
}

/** Records of receivers and callers, for comparison with the tables. */
export interface Evidence {
  arrivals: readonly Arrival[];
  /** Last status that the API confirmed to its callers, by id of the link. */
  confirmed: ReadonlyMap<string, string>;
  /** WEBHOOK_TIMEOUT_MS. After this time the sender has ended the attempt, also if the receiver has not noticed. */
  timeoutMs: number;
  /** Secrets by the last part of the endpoint's address. Signatures are checked with them. */
  secrets: ReadonlyMap<string, string>;
  /** Left out by runs that do not refund. */
  refunds?: RefundEvidence;
  /** Left out by runs in which nobody pays on hosted pages. */
  payments?: PaymentEvidence;
}

/** Refunds that a run asked for, and those that it made at the processor. */
export interface RefundEvidence {
  /** Refunds of the console, by the refund id in their form. */
  asked: ReadonlyMap<string, AskedRefund>;
  /** Refunds that the practice made at the processor itself, in cents by the processor's id. */
  madeOutside: ReadonlyMap<string, number>;
  /** Refunds of test links that an API confirmed, in cents by the id of the link. */
  simulated: ReadonlyMap<string, number>;
}

export interface AskedRefund {
  linkId: string;
  cents: number;
  /** True once an API confirmed it. */
  isConfirmed: boolean;
}

/** Payment that a page showed: a receipt, a debit on its way, or a debit that the bank returned. */
export type ShownPayment = 'paid' | 'pending' | 'returned';

/** Payments that patients saw. */
export interface PaymentEvidence {
  /** Payment that the page showed last, by id of the link. */
  shown: ReadonlyMap<string, ShownPayment>;
}
