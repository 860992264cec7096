import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/** The job that mails a notice. */
export const PAYMENT_ADMIN_MAIL_TASK = 'send_payment_admin_mail';

/** What a practice's administrator is told of: what only people can put right, or must answer in time. */
export const ADMIN_MAIL_KINDS = [
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

export type AdminMailKind = (typeof ADMIN_MAIL_KINDS)[number];

/** The job's payload: ids and an amount, nothing that tells of a patient and no address. */
export interface PaymentAdminMail {
  kind: AdminMailKind;
  paymentLinkId: string;
  /** The dispute, refund or attempt; the processor's reference for what is no record of ours. */
  subjectId: string;
  amountCents: number;
}

/** Tries of a notice: with the queue's growing waits about three days. */
const MAIL_TRIES = 20;

/**
 * Queues a mail to the administrator of the link's practice, in the caller's transaction: what happened and the mail
 * about it stand or fall together. A second call for the same does nothing, for processors repeat themselves. Test
 * links are nobody's money, so nobody is told.
 */
export async function queueAdminMail(
  scope: Scope,
  link: PaymentLink,
  { kind, subjectId, amountCents }: Omit<PaymentAdminMail, 'paymentLinkId'>,
): Promise<void> {
  if (link.test) return;
  await sql(
    scope.em,
    `with told as (
       insert into payment_admin_mails (practice_id, payment_link_id, kind, subject_id, queued_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning payment_link_id, kind, subject_id
     )
     select graphile_worker.add_job('${PAYMENT_ADMIN_MAIL_TASK}', json_build_object('kind', kind,
       'paymentLinkId', payment_link_id, 'subjectId', subject_id, 'amountCents', $6::integer),
       max_attempts := $7::integer) from told`,
    [link.practiceId, link.id, kind, subjectId, scope.clock.now(), amountCents, MAIL_TRIES],
  );
}

/** Whether a job's payload is a notice; the queue can hold anything. */
export function isPaymentAdminMail(payload: unknown): payload is PaymentAdminMail {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'kind' in payload &&
    ADMIN_MAIL_KINDS.some((kind) => kind === payload.kind) &&
    'paymentLinkId' in payload &&
    'subjectId' in payload &&
    'amountCents' in payload
  );
}
