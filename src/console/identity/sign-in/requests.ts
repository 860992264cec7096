import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { letter } from '../../../practices/mail/letter.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../../practices/mail/mail-queue.ts';
import type { Mailer } from '../../../practices/mail/mailer.ts';
import { lockPerson } from './access.ts';
import { createToken, makeSignInUrl, TOKEN_LIFETIME_MS, uncountMail } from './tokens.ts';

const signInText = (url: string) =>
  letter(
    'Open this address to sign in to the Paylinks console:',
    url,
    'It works once, for 15 minutes. Do not share it.\n' +
      'If you did not ask for it, ignore this email: nobody has signed in.',
  );

/* The request of an unknown address does the same work as a known one's: one row, and one job that looks for the person. */

export const SIGN_IN_MAIL_TASK = 'send_sign_in_mail';

/** Mails to a person per hour that one known device or session asks for. */
const MAILS_PER_DEVICE = 6;

/** Working addresses in a mailbox that other browsers asked for. More requests are ignored, so nobody floods it or locks a person out. */
const WORKING_MAILS = 2;

const HOUR_MS = 60 * 60_000;

/**
 * Stores a request for a sign-in mail, and queues its job. Processes of 2.0.0 still read the column `language`.
 *
 * @param device hash of the known device of the person, or of the session, that asks; null for any other browser
 */
export async function requestSignIn({ em, clock }: Scope, email: string, device: Buffer | null): Promise<void> {
  const now = clock.now();
  await sql(
    em,
    `with request as (
       insert into sign_in_requests (id, email, language, device_hash, created_at)
       values ($1, $2, 'en', $3, $4) returning id
     )
     select graphile_worker.add_job('${SIGN_IN_MAIL_TASK}', json_build_object('requestId', id),
       ${MAIL_JOB}, max_attempts := $5::integer) from request`,
    [newId('signInRequest', now), email, device, now, MAIL_TRIES],
  );
}

/**
 * Sends the mail of a request, unless no practice admits its person, it is too old, or a limit is reached. The mail counts from before
 * it is sent, so that jobs at the same time keep the limit. A mail that failed does not count.
 *
 * @throws MailFailed; the next try makes another token
 */
export async function sendSignInMail(scope: Scope, mailer: Mailer, request: { requestId: string }): Promise<void> {
  const { requestId } = request;
  const mail = await inTransaction(scope, (scope) => reserveMail(scope, requestId));
  if (mail === null) return;
  const { token, email } = mail;
  try {
    const text = signInText(makeSignInUrl(scope, token));
    await mailer.send({ to: email, id: requestId, subject: 'Your sign-in link', text });
  } catch (error) {
    await uncountMail(scope, token);
    throw error;
  }
}

/** Makes the token of a mail that may be sent, under the lock of its person; null if none may be sent. */
async function reserveMail(scope: Scope, requestId: string) {
  const now = scope.clock.now();
  const [request] = await sql<{ personId: string; email: string; device: Buffer | null }>(
    scope.em,
    `select p.id as "personId", p.email, r.device_hash as device
     from sign_in_requests r join people p on p.email = r.email where r.id = $1 and r.created_at > $2`,
    [requestId, new Date(now.getTime() - TOKEN_LIFETIME_MS)],
  );
  if (request === undefined || !(await lockPerson(scope, request.personId))) return null;
  const { personId, email, device } = request;
  // Only tokens whose mail counts have a request. Mails of one request count as one.
  const [count] = await sql<{ mails: number }>(
    scope.em,
    `select count(distinct request_id)::integer as mails from sign_in_tokens
     where person_id = $1 and request_id <> $2 and device_hash is not distinct from $3
       and case when $3::bytea is null then used_at is null and expires_at > $4 else created_at > $5 end`,
    [personId, requestId, device, now, new Date(now.getTime() - HOUR_MS)],
  );
  if ((count?.mails ?? 0) >= (device === null ? WORKING_MAILS : MAILS_PER_DEVICE)) return null;
  return { email, token: await createToken(scope, personId, { device, requestId }) };
}
