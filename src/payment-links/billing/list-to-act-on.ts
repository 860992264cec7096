import type { Scope } from '../../platform/base/scope.ts';
import { parseTime, type Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';

/** Reasons to act on a payment. The names are filters of the list of payments, too. */
export const ACT_REASONS = ['open_dispute', 'returned_debit', 'failed_refund'] as const;

export type ActReason = (typeof ACT_REASONS)[number];

/** A payment on which the practice has to act. */
export interface PaymentToActOn {
  reason: ActReason;
  /** Id of the link. */
  id: string;
  patientFirstName: string;
  patientLastName: string;
  locationName: string;
  amountCents: number;
  /** Time of the refund, of the return or of the dispute. Of a debit that was returned before version 3.0.0: of the payment. */
  at: Date;
  /** Time until which the bank takes evidence; null for all but disputes. */
  dueBy: Date | null;
}

/**
 * Time for which failed refunds and returned debits are listed. Later, the patient has paid another way or was reminded,
 * and the list of payments still finds them. Open disputes stay until a person says that the answer is sent, or the bank decides.
 */
export const LISTED_MS = 60 * 86_400_000;

/** Most entries of the list. Entries beyond it come up when earlier ones are settled. */
const MAX_ENTRIES = 50;

/** True for the row `t` of a link that no other link replaced, and that nobody settled elsewhere. */
const UNRESOLVED = `not exists (select from link_resolutions e
  where e.practice_id = t.practice_id and e.payment_link_id = t.payment_link_id)`;

/**
 * Returns what a practice has to act on, of both modes and all locations. Failed refunds count while nobody has refunded their
 * amount again, and returned debits until their link is replaced or settled elsewhere.
 *
 * @param practice the id as SQL, such as `$1`
 * @param since the time of `listedSince` as SQL
 */
export function toActOnSql(practice: string, since: string): string {
  return `(
    select 'open_dispute' as reason, payment_link_id, amount_cents, created_at as at, evidence_due_by as due_by
    from disputes where practice_id = ${practice} and status = 'open' and answered_at is null
    union all
    select 'failed_refund', f.payment_link_id, f.amount_cents, f.created_at, null
    from refunds f join transactions t on t.id = f.transaction_id
    where f.practice_id = ${practice} and f.created_at >= ${since} and f.status = 'failed' and f.bank_reversal_id is null
      and t.amount_cents - f.amount_cents >= (select coalesce(sum(n.amount_cents), 0) from refunds n
        where n.transaction_id = t.id and n.status <> 'failed')
        + (select coalesce(sum(d.amount_cents), 0) from disputes d
          where d.payment_link_id = f.payment_link_id and d.practice_id = f.practice_id and d.status = 'lost')
    union all
    select 'returned_debit', payment_link_id, amount_cents, coalesce(returned_at, created_at), null
    from transactions t where practice_id = ${practice} and status = 'failed' and created_at >= ${since} and ${UNRESOLVED}
    union all
    select 'returned_debit', payment_link_id, amount_cents, created_at, null
    from bank_reversals t where practice_id = ${practice} and created_at >= ${since} and ${UNRESOLVED}
  )`;
}

/** Returns the time from which failed refunds and returned debits are listed. */
export function listedSince({ clock }: Pick<Scope, 'clock'>): Date {
  return new Date(clock.now().getTime() - LISTED_MS);
}

const TO_ACT_ON = `
  select reason, l.id, l.patient_first_name as "patientFirstName", l.patient_last_name as "patientLastName",
    o.name as "locationName", a.amount_cents as "amountCents", a.at, a.due_by as "dueBy"
  from ${toActOnSql('$1', '$4')} a join payment_links l on l.id = a.payment_link_id join locations o on o.id = l.location_id
  where ${SEEN_LINK} and l.paid_at is not null
  order by a.due_by, a.at desc, l.id limit ${MAX_ENTRIES}`;

/** Returns the payments on which the practice has to act, the most urgent disputes first. */
export async function listToActOn(scope: Scope, viewer: Viewer): Promise<PaymentToActOn[]> {
  const { practiceId, test, locationIds } = viewer;
  const values = [practiceId, test, locationIds, listedSince(scope)];
  const rows = await sql<Texts<PaymentToActOn>>(scope.em, TO_ACT_ON, values);
  return rows.map((row) => ({ ...row, at: new Date(row.at), dueBy: parseTime(row.dueBy) }));
}
