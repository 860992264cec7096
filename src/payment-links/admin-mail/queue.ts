import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/** The job that sends an admin mail. */
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

/**
 * Queues a mail to the administrator of the link's practice, in the caller's database transaction. A rollback removes
 * the mail, too. A second call with the same kind and subject does nothing, because processors repeat notifications. Test
 * links cause no mail, because no money moves.
 */
export async function queuePaymentMail(
  scope: Scope,
  link: PaymentLink,
  { kind, subjectId, amountCents }: Omit<PaymentMail, 'paymentLinkId'>,
): Promise<void> {
  if (link.test) return;
  await sql(
    scope.em,
    `with queued as (
       insert into payment_admin_mails (practice_id, payment_link_id, kind, subject_id, queued_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning payment_link_id, kind, subject_id
     )
     select graphile_worker.add_job('${PAYMENT_MAIL_TASK}', json_build_object('kind', kind,
       'paymentLinkId', payment_link_id, 'subjectId', subject_id, 'amountCents', $6::integer),
       ${MAIL_JOB}, max_attempts := $7::integer) from queued`,
    [link.practiceId, link.id, kind, subjectId, scope.clock.now(), amountCents, MAIL_TRIES],
  );
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
