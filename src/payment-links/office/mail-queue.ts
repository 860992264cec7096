import { firstIdAt } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { audit } from '../../practices/audit/audit.ts';
import { AuditEntry } from '../../practices/audit/audit-entry.entity.ts';
import { MAIL_TRIES, mailJob } from '../../practices/mail/mail-queue.ts';
import { queueReceipt } from '../checkout/receipt.ts';
import type { Staff } from '../model/staff-status.ts';
import { statusAt } from '../model/transitions.ts';
import { lockStaffLink } from './link.ts';

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

/** Actions of the audit log. Their entries are what the limits count. */
const ACTIONS = { link: 'link.sent', receipt: 'receipt.sent' } as const;

/** Outcome of a request to send a mail. `repeated`: the same form was sent before. */
export type SendOutcome =
  | 'queued'
  | 'repeated'
  | 'unknown'
  | 'not_active'
  | 'no_address'
  | 'link_limit'
  | 'practice_limit';

/** Returns how many mails of a kind the link has queued so far. Its form carries the number, so that it counts once. */
export function countPatientMails(
  { em }: Scope,
  practiceId: string,
  linkId: string,
  kind: keyof typeof ACTIONS = 'link',
): Promise<number> {
  return em.count(AuditEntry, { practiceId, targetId: linkId, action: ACTIONS[kind] });
}

/**
 * Queues a mail with the address of a link to its patient, or with the receipt of its payment, and records the act.
 * @param sent how many mails of this kind the person's form says were queued before
 * @param receiptTo address for the receipt; null for the address of the link
 */
export function queuePatientMail(
  scope: Scope,
  { actor, viewer }: Staff,
  linkId: string,
  language: PatientMail['language'],
  sent: number,
  receiptTo: string | null = null,
): Promise<SendOutcome> {
  const kind = receiptTo === null ? 'link' : 'receipt';
  return inTransaction(scope, async (scope) => {
    const now = scope.clock.now();
    const { practiceId } = viewer;
    // The lock makes two requests for one link count one after the other.
    const link = await lockStaffLink(scope, { viewer }, linkId);
    if (link === null) return 'unknown';
    if (statusAt(link, now) !== (kind === 'link' ? 'active' : 'paid')) return 'not_active';
    if (kind === 'link' && link.patientEmail === null) return 'no_address';
    const number = (await countPatientMails(scope, practiceId, linkId, kind)) + 1;
    if (sent !== number - 1) return 'repeated';
    const recent = {
      practiceId,
      action: { $in: Object.values(ACTIONS) },
      id: { $gte: firstIdAt('auditEntry', new Date(now.getTime() - DAY_MS)) },
    };
    const ofLink = { ...recent, targetId: linkId, action: ACTIONS[kind] };
    if ((await scope.em.count(AuditEntry, ofLink)) >= MAILS_PER_LINK) return 'link_limit';
    // Mails of the practice are counted one after the other, too. Nobody who has this lock waits for another one.
    await sql(scope.em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`patient_mails:${practiceId}`]);
    const sentByPractice = await scope.em.count(AuditEntry, recent);
    if (sentByPractice >= MAILS_PER_PRACTICE) return 'practice_limit';
    if (receiptTo !== null) {
      const receipt = { token: link.token, email: receiptTo, language, isComplete: true };
      if (!(await queueReceipt(scope, receipt))) return 'link_limit';
    } else {
      await sql(
        scope.em,
        `select graphile_worker.add_job('${PATIENT_MAIL_TASK}', json_build_object('paymentLinkId', $1::text,
           'language', $2::text, 'number', $3::integer), ${mailJob('$5::integer')}, max_attempts := $4::integer)`,
        [linkId, language, number, MAIL_TRIES, sentByPractice],
      );
    }
    const target = { kind: 'payment_link', id: linkId };
    audit(scope, actor, { practiceId, action: ACTIONS[kind], target, after: { language } });
    return 'queued';
  });
}
