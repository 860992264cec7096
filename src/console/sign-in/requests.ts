import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Language } from '../../pages/texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { countMail, createToken, signInUrlOf, TOKEN_LIFETIME_MS } from './tokens.ts';

/*
 * Requests for sign-in mails. The request of an unknown address does the same work as that of a known one: one row and
 * one job. The job finds out whether the address is known. Its payload is the id of the row, without address and token.
 */

/** Name of the job that sends a sign-in mail. */
export const SIGN_IN_MAIL_TASK = 'send_sign_in_mail';

/** Payload of the job. */
export interface SignInMail {
  requestId: string;
}

/** Mails to a person per hour that one known device or session asks for. */
const MAILS_PER_DEVICE = 6;

/**
 * Mails with a working address that other browsers can have in a person's mailbox at once. More requests are ignored, so that
 * nobody can flood it. Then the mailbox has addresses that work, on any device. So nobody is locked out.
 */
const WORKING_MAILS = 2;

const HOUR_MS = 60 * 60_000;

/** A wish to sign in. */
export interface SignInWish {
  /** Mail address, known or not. */
  email: string;
  /** Language of the mail. */
  language: Language;
  /** Page to which the sign-in leads back; null for the first page. */
  returnPath: string | null;
  /** Hash of the known device of the person, or of the session, that asks; null for any other browser. */
  device: Buffer | null;
}

/** Stores a request for a sign-in mail, and queues its job. */
export async function requestSignIn(
  { em, clock }: Scope,
  { email, language, returnPath, device }: SignInWish,
): Promise<void> {
  const now = clock.now();
  await sql(
    em,
    `with request as (
       insert into sign_in_requests (id, email, language, return_path, device_hash, created_at)
       values ($1, $2, $3, $4, $5, $6) returning id
     )
     select graphile_worker.add_job('${SIGN_IN_MAIL_TASK}', json_build_object('requestId', id),
       ${MAIL_JOB}, max_attempts := $7::integer) from request`,
    [newId('signInRequest', now), email, language, returnPath, device, now, MAIL_TRIES],
  );
}

interface Found {
  person_id: string;
  email: string;
  language: Language;
  return_path: string | null;
  device_hash: Buffer | null;
}

/** Returns true if a job's payload names a request. The queue accepts any payload. */
export function isSignInMail(payload: unknown): payload is SignInMail {
  return typeof payload === 'object' && payload !== null && 'requestId' in payload;
}

/**
 * Sends the mail of a request. Sends nothing in these cases:
 * - The address is unknown, or its person belongs to no practice.
 * - The request is older than a sign-in link works.
 * - The known device got enough mails in the last hour, or the mailbox has enough addresses for other browsers.
 *
 * A mail that failed does not count, so the limits leave nobody without mails after an outage of the mail server.
 *
 * @throws MailFailed; the next try makes another token. That of the first works too, if its mail did arrive
 */
export async function sendSignInMail(scope: Scope, mailer: Mailer, { requestId }: SignInMail): Promise<void> {
  const now = scope.clock.now();
  // Only tokens whose mail was sent have a request. Mails of one request count as one.
  const [found] = await sql<Found>(
    scope.em,
    `select p.id as person_id, p.email, r.language, r.return_path, r.device_hash
     from sign_in_requests r join people p on p.email = r.email
     where r.id = $1 and r.created_at > $2
       and exists (select from memberships m where m.person_id = p.id)
       and (
         select count(distinct t.request_id) from sign_in_tokens t
         where t.person_id = p.id and t.request_id <> r.id and t.device_hash is not distinct from r.device_hash
           and case when r.device_hash is null then t.used_at is null and t.expires_at > $3 else t.created_at > $4 end
       ) < case when r.device_hash is null then $5::integer else $6::integer end`,
    [
      ...[requestId, new Date(now.getTime() - TOKEN_LIFETIME_MS), now, new Date(now.getTime() - HOUR_MS)],
      ...[WORKING_MAILS, MAILS_PER_DEVICE],
    ],
  );
  if (found === undefined) return;
  const { subject, text } = TEXTS[found.language].mails.signIn;
  const { return_path: returnPath, device_hash: device } = found;
  const token = await createToken(scope, found.person_id, { returnPath, device });
  await mailer.send({ to: found.email, id: requestId, subject, text: text(signInUrlOf(scope, token)) });
  await countMail(scope, token, requestId);
}
