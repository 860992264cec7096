import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Language } from '../../pages/texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { createSignInUrl, TOKEN_LIFETIME_MS } from './tokens.ts';

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

/** Sign-in mails per person and hour. More requests are ignored, so that nobody can flood a mailbox. */
const MAILS_PER_HOUR = 6;

const HOUR_MS = 60 * 60_000;

/** A wish to sign in. */
export interface SignInWish {
  /** Mail address, known or not. */
  email: string;
  /** Language of the mail. */
  language: Language;
  /** Page to which the sign-in leads back; null for the first page. */
  returnPath: string | null;
}

/** Stores a request for a sign-in mail, and queues its job. */
export async function requestSignIn({ em, clock }: Scope, { email, language, returnPath }: SignInWish): Promise<void> {
  const now = clock.now();
  await sql(
    em,
    `with request as (
       insert into sign_in_requests (id, email, language, return_path, created_at) values ($1, $2, $3, $4, $5)
       returning id
     )
     select graphile_worker.add_job('${SIGN_IN_MAIL_TASK}', json_build_object('requestId', id),
       ${MAIL_JOB}, max_attempts := $6::integer) from request`,
    [newId('signInRequest', now), email, language, returnPath, now, MAIL_TRIES],
  );
}

/** Returns true if a job's payload names a request. The queue accepts any payload. */
export function isSignInMail(payload: unknown): payload is SignInMail {
  return typeof payload === 'object' && payload !== null && 'requestId' in payload;
}

/**
 * Sends the mail of a request. Sends nothing in these cases:
 * - The address is unknown, or its person belongs to no practice.
 * - The request is older than a sign-in address works.
 * - The person got enough mails in the last hour.
 *
 * @throws MailFailed; the next try makes another token, because nobody knows whether the first mail arrived
 */
export async function sendSignInMail(scope: Scope, mailer: Mailer, { requestId }: SignInMail): Promise<void> {
  const now = scope.clock.now();
  const [found] = await sql<{ person_id: string; email: string; language: Language; return_path: string | null }>(
    scope.em,
    `select p.id as person_id, p.email, r.language, r.return_path from sign_in_requests r join people p on p.email = r.email
     where r.id = $1 and r.created_at > $2
       and exists (select from memberships m where m.person_id = p.id)
       and (select count(*) from sign_in_tokens t where t.person_id = p.id and t.created_at > $3) < $4`,
    [requestId, new Date(now.getTime() - TOKEN_LIFETIME_MS), new Date(now.getTime() - HOUR_MS), MAILS_PER_HOUR],
  );
  if (found === undefined) return;
  const { subject, text } = TEXTS[found.language].mails.signIn;
  const url = await createSignInUrl(scope, found.person_id, { returnPath: found.return_path });
  await mailer.send({ to: found.email, id: requestId, subject, text: text(url) });
}
