import { createHash } from 'node:crypto';
import { takeRateSlot } from '../../access/rate-windows.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { deleteFirst } from '../../platform/database/query/delete-first.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../practices/mail/mail-queue.ts';
import type { ReceiptOrder, ReceiptResult } from './port.ts';

/* Anyone with a link's page may ask for a receipt, so requests are limited. The row of a request has the address until its mail is sent. */

export const RECEIPT_MAIL_TASK = 'send_receipt_mail';

export interface ReceiptMail {
  requestId: string;
  /** True for a receipt from staff, with the patient's name and what the payment was for. Jobs of 2.0.0 lack it. */
  isComplete?: boolean;
}

interface ReceiptRequest {
  token: string;
  email: string;
  language: 'en' | 'es';
}

/** Receipts of one link in 24 hours, for its patient and for staff. The table has a place for each: 1 to 3, and 4 to 6. */
const RECEIPTS_PER_LINK = 3;

/** Requests of one client address per minute. A waiting room may share an address. */
const REQUESTS_PER_MINUTE = 10;

/** Requests for one mail address per minute, whatever the link. */
const MAILS_PER_MINUTE = 3;

/** Age at which a request is neither sent nor kept. */
const KEPT_MS = 24 * 60 * 60_000;

/** Queues a receipt that a patient asks for. */
export async function requestReceipt(scope: Scope, token: string, order: ReceiptOrder): Promise<ReceiptResult> {
  const { email, language, limitAddress } = order;
  const hash = createHash('sha256').update(email).digest('base64url');
  const slots = [
    await takeRateSlot(scope, `receipt:${limitAddress}`, REQUESTS_PER_MINUTE),
    await takeRateSlot(scope, `receipt-mail:${hash}`, MAILS_PER_MINUTE),
  ];
  if (slots.some(({ granted }) => !granted)) return 'too_many';
  return (await queueReceipt(scope, { token, email, language, isComplete: false })) ? 'queued' : 'too_many';
}

/**
 * Stores the request for a receipt and queues its job. Returns false for a link without a payment of real money, or that has had its
 * receipts of 24 hours. Complete receipts, which staff send, have a separate count.
 */
export async function queueReceipt(scope: Scope, request: ReceiptRequest & { isComplete: boolean }): Promise<boolean> {
  const { token, email, language, isComplete } = request;
  const now = scope.clock.now();
  const firstPlace = isComplete ? RECEIPTS_PER_LINK + 1 : 1;
  const jobs = await sql(
    scope.em,
    `with request as (
       insert into receipt_requests (id, practice_id, payment_link_id, ordinal, email, language, created_at)
       select $1, l.practice_id, l.id, place, $3, $4, $5
       from payment_links l, generate_series($6::integer, $9::integer) as place
       where l.token = $2 and l.status = 'paid' and not l.test
         and not exists (
           select from receipt_requests r where r.payment_link_id = l.id and r.ordinal = place
         )
       order by place limit 1
       on conflict do nothing
       returning id
     )
     select graphile_worker.add_job('${RECEIPT_MAIL_TASK}', json_build_object('requestId', id, 'isComplete', $8::boolean),
       ${MAIL_JOB}, max_attempts := $7::integer) from request`,
    [
      ...[newId('receiptRequest', now), token, email, language, now, firstPlace, MAIL_TRIES, isComplete],
      firstPlace + RECEIPTS_PER_LINK - 1,
    ],
  );
  return jobs.length > 0;
}

/** Returns the request of a job with the token of its link; null if it is sent, deleted or older than a day. */
export async function findReceiptRequest(
  { em, clock }: Scope,
  { requestId }: ReceiptMail,
): Promise<(ReceiptRequest & { patient: string }) | null> {
  const [request] = await sql<ReceiptRequest & { patient: string }>(
    em,
    `select l.token, r.email, r.language, l.patient_first_name || ' ' || l.patient_last_name as patient
     from receipt_requests r join payment_links l on l.id = r.payment_link_id
     where r.id = $1 and r.email is not null and r.created_at > $2`,
    [requestId, new Date(clock.now().getTime() - KEPT_MS)],
  );
  return request ?? null;
}

/** Removes the mail address of a request whose mail is sent. */
export async function forgetReceiptAddress({ em }: Scope, { requestId }: ReceiptMail): Promise<void> {
  await sql(em, 'update receipt_requests set email = null where id = $1', [requestId]);
}

/** Deletes requests that are older than a day. @returns true if there may be more to delete */
export function purgeReceiptRequests(scope: Scope): Promise<boolean> {
  return deleteFirst(scope, 'receipt_requests', 'created_at < $1', [new Date(scope.clock.now().getTime() - KEPT_MS)]);
}
