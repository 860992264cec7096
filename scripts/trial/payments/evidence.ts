/** Payment that a page showed: a receipt, a debit on its way, or a debit that the bank returned. */
export type ShownPayment = 'paid' | 'pending' | 'returned';

/** Payments that patients saw. */
export interface PaymentEvidence {
  /** Payment that the page showed last, by id of the link. */
  shown: ReadonlyMap<string, ShownPayment>;
}
