import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from './mail-queue.ts';

/** Name of the job that mails an owner of a practice about a new way to its live data. */
export const OWNER_MAIL_TASK = 'send_owner_mail';

/** Payload of the job: ids alone. */
export interface OwnerMail {
  /**
   * Way to live data of a practice: a new live key, or a new live endpoint or a new address of one. Or the live keys that a removed
   * person created.
   */
  kind: 'live_key' | 'live_endpoint' | 'keys_left';
  practiceId: string;
  /** The key, the endpoint, or the removed person. */
  subjectId: string;
  personId: string;
  /** Time of the act in milliseconds; mails about one endpoint differ in it. */
  atMs: number;
}

/** Queues a mail to each owner of the practice who is not locked, in the caller's transaction. A person, a key or the operator may act. */
export async function queueOwnerMails(
  { em, clock }: Scope,
  { kind, practiceId, subjectId }: Pick<OwnerMail, 'kind' | 'practiceId' | 'subjectId'>,
): Promise<void> {
  await sql(
    em,
    `select graphile_worker.add_job('${OWNER_MAIL_TASK}', json_build_object('kind', $1::text, 'practiceId', practice_id,
       'subjectId', $3::text, 'personId', person_id, 'atMs', $4::bigint), ${MAIL_JOB}, max_attempts := $5::integer)
     from memberships where practice_id = $2 and role = 'owner' and locked_at is null`,
    [kind, practiceId, subjectId, clock.now().getTime(), MAIL_TRIES],
  );
}
