import { firstIdAt } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { type Actor, audit } from '../../practices/audit/audit.ts';
import { AuditEntry } from '../../practices/audit/audit-entry.entity.ts';
import { MAIL_TRIES, mailJob } from '../../practices/mail/mail-queue.ts';
import { statusAt } from '../model/overdue.ts';
import { staffSees, type Viewer } from '../model/staff-status.ts';
import { lockLink } from '../state/lock.ts';

/** The job that mails a link to its patient. */
export const PATIENT_MAIL_TASK = 'send_patient_mail';

/** Payload of the job: ids and a language. The job reads the address when it sends. */
export interface PatientMail {
  paymentLinkId: string;
  language: 'en' | 'es';
  /** 1 for the first mail of the link. */
  number: number;
}

/** Most mails per link in 24 hours, and per practice. They keep a mistake from flooding mailboxes. */
const MAILS_PER_LINK = 3;
const MAILS_PER_PRACTICE = 500;

const DAY_MS = 86_400_000;

/** Action of the audit log. Its entries are what the limits count. */
const ACTION = 'link.sent';

/** Outcome of a request to send a mail. `repeated`: the same form was sent before. */
export type SendOutcome =
  | 'queued'
  | 'repeated'
  | 'unknown'
  | 'not_active'
  | 'no_address'
  | 'link_limit'
  | 'practice_limit';

/** Returns how many mails of the link were queued so far. Its form carries the number, so that it counts once. */
export function countPatientMails({ em }: Scope, practiceId: string, linkId: string): Promise<number> {
  return em.count(AuditEntry, { practiceId, targetId: linkId, action: ACTION });
}

/**
 * Queues a mail with the address of the link to its patient, and records the act.
 *
 * @param sent how many mails the person's form says were queued before
 */
export function queuePatientMail(
  scope: Scope,
  { actor, viewer }: { actor: Actor; viewer: Viewer },
  linkId: string,
  language: PatientMail['language'],
  sent: number,
): Promise<SendOutcome> {
  return inTransaction(scope, async (scope) => {
    const now = scope.clock.now();
    // The lock makes two requests for one link count one after the other.
    const link = await lockLink(scope, linkId);
    if (!staffSees(viewer, link)) return 'unknown';
    if (statusAt(link, now) !== 'active') return 'not_active';
    if (link.patientEmail === null) return 'no_address';
    const { practiceId } = viewer;
    const number = (await countPatientMails(scope, practiceId, linkId)) + 1;
    if (sent !== number - 1) return 'repeated';
    const recent = {
      practiceId,
      action: ACTION,
      id: { $gte: firstIdAt('auditEntry', new Date(now.getTime() - DAY_MS)) },
    };
    if ((await scope.em.count(AuditEntry, { ...recent, targetId: linkId })) >= MAILS_PER_LINK) return 'link_limit';
    // Mails of the practice are counted one after the other, too. Nobody who has this lock waits for another one.
    await sql(scope.em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`patient_mails:${practiceId}`]);
    const sentByPractice = await scope.em.count(AuditEntry, recent);
    if (sentByPractice >= MAILS_PER_PRACTICE) return 'practice_limit';
    await sql(
      scope.em,
      `select graphile_worker.add_job('${PATIENT_MAIL_TASK}', json_build_object('paymentLinkId', $1::text,
         'language', $2::text, 'number', $3::integer), ${mailJob('$5::integer')}, max_attempts := $4::integer)`,
      [linkId, language, number, MAIL_TRIES, sentByPractice],
    );
    audit(scope, actor, {
      practiceId,
      action: ACTION,
      target: { kind: 'payment_link', id: linkId },
      after: { language },
    });
    return 'queued';
  });
}
