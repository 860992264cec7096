/** The job that sends an admin mail. The SQL function `write_links` adds it. */
export const PAYMENT_MAIL_TASK = 'send_payment_admin_mail';

/** Kinds of admin mails: facts that only people can correct, or that need an answer in time. */
export const PAYMENT_MAIL_KINDS = [
  'dispute_opened',
  'dispute_closed',
  'refund_failed',
  'paid_late',
  'paid_twice',
  'payment_refused',
  'payment_abandoned',
  'contradiction',
  'refunded_too_much',
  'returned_after_refund',
] as const;

/** Kind of an admin mail about a payment. */
export type PaymentMailKind = (typeof PAYMENT_MAIL_KINDS)[number];

/** Payload of the job: ids and an amount, without patient's data and without an address. */
export interface PaymentMail {
  kind: PaymentMailKind;
  paymentLinkId: string;
  /** Id of the dispute, refund or attempt; the processor's reference if there is no record of ours. */
  subjectId: string;
  amountCents: number;
}

/** Returns true if a job's payload is an admin mail. A job's payload can be any JSON. */
export function isPaymentMail(payload: unknown): payload is PaymentMail {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'kind' in payload &&
    PAYMENT_MAIL_KINDS.some((kind) => kind === payload.kind) &&
    'paymentLinkId' in payload &&
    'subjectId' in payload &&
    'amountCents' in payload
  );
}
