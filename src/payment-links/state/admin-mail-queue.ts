/** The job that sends an admin mail. The SQL function `write_links` adds it. */
export const PAYMENT_MAIL_TASK = 'send_payment_admin_mail';

/**
 * Kind of an admin mail about a payment: a fact that only people can correct, or that needs an answer in time. A payment that came as
 * it should is mailed only to practices that want it.
 */
export type PaymentMailKind =
  | 'payment_received'
  | 'debit_returned'
  | 'dispute_opened'
  | 'dispute_closed'
  | 'refund_failed'
  | 'paid_late'
  | 'paid_twice'
  | 'payment_refused'
  | 'payment_abandoned'
  | 'contradiction'
  | 'refunded_too_much'
  | 'returned_after_refund';

/** Payload of the job: ids and an amount, without patient's data and without an address. */
export interface PaymentMail {
  kind: PaymentMailKind;
  paymentLinkId: string;
  /** Id of the dispute, refund, attempt, payment or bank reversal; the processor's reference if there is no record of ours. */
  subjectId: string;
  amountCents: number;
}
