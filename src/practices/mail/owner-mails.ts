import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { MAIL_TRIES } from './mail-queue.ts';

/** Name of the job that queues a mail to each owner of a practice. The room of the owners has its handler. */
export const OWNER_MAILS_TASK = 'queue_owner_mails';

/** Mails to the owners of a practice about a way to its live data. Payload of the job: ids alone. */
export interface OwnerMails {
  /** A new live key, a new live endpoint or address of one, or the live keys that a removed person created. */
  kind: 'live_key' | 'live_endpoint' | 'keys_left';
  practiceId: string;
  /** The key, the endpoint, or the removed person. */
  subjectId: string;
  /** Time of the act in milliseconds; mails about one endpoint differ in it. */
  atMs: number;
}

/** Queues mails to the owners of the practice, in the caller's transaction. A person, a key or the operator may act. */
export async function queueOwnerMails({ em, clock }: Scope, mails: Omit<OwnerMails, 'atMs'>): Promise<void> {
  const payload: OwnerMails = { ...mails, atMs: clock.now().getTime() };
  await sql(em, `select graphile_worker.add_job('${OWNER_MAILS_TASK}', $1::json, max_attempts := $2::integer)`, [
    JSON.stringify(payload),
    MAIL_TRIES,
  ]);
}
