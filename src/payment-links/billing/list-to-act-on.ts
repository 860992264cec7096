import type { Scope } from '../../base/scope.ts';
import { type Texts, timeOf } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import type { Viewer } from '../model/staff-status.ts';

export type ActReason = 'failed_refund' | 'returned_debit' | 'open_dispute';

/** A payment on which the practice has to act. */
export interface PaymentToActOn {
  reason: ActReason;
  /** Id of the link. */
  id: string;
  patientFirstName: string;
  patientLastName: string;
  locationName: string;
  amountCents: number;
  /** Time of the refund, of the payment or of the dispute. */
  at: Date;
  /** Time until which the bank takes evidence; null for all but disputes. */
  dueBy: Date | null;
}

/**
 * Time for which failed refunds and returned debits are listed. Later, the patient has paid another way or was reminded,
 * and the list of payments still finds them. Open disputes stay until the bank decides.
 */
export const LISTED_MS = 60 * 86_400_000;

/** Most entries of the list. Entries beyond it come up when earlier ones are settled. */
const MAX_ENTRIES = 50;

/** Failed refunds count while nobody has refunded their amount again. */
const TO_ACT_ON = `
  select reason, l.id, l.patient_first_name as "patientFirstName", l.patient_last_name as "patientLastName",
    o.name as "locationName", a.amount_cents as "amountCents", a.at, a.due_by as "dueBy"
  from (
    select 'open_dispute' as reason, payment_link_id, amount_cents, created_at as at, evidence_due_by as due_by
    from disputes where practice_id = $1 and status = 'open'
    union all
    select 'failed_refund', f.payment_link_id, f.amount_cents, f.created_at, null
    from refunds f join transactions t on t.id = f.transaction_id
    where f.practice_id = $1 and f.created_at >= $4 and f.status = 'failed' and f.bank_reversal_id is null
      and t.amount_cents - f.amount_cents >= (select coalesce(sum(n.amount_cents), 0) from refunds n
        where n.transaction_id = t.id and n.status <> 'failed')
    union all
    select 'returned_debit', payment_link_id, amount_cents, created_at, null
    from transactions where practice_id = $1 and status = 'failed' and created_at >= $4
    union all
    select 'returned_debit', payment_link_id, amount_cents, created_at, null
    from bank_reversals where practice_id = $1 and created_at >= $4
  ) a join payment_links l on l.id = a.payment_link_id join locations o on o.id = l.location_id
  where l.practice_id = $1 and l.test = $2 and ($3::text[] is null or l.location_id = any($3)) and l.paid_at is not null
  order by a.due_by, a.at desc, l.id limit ${MAX_ENTRIES}`;

/** Returns the payments on which the practice has to act, the most urgent disputes first. */
export async function listToActOn(scope: Scope, viewer: Viewer): Promise<PaymentToActOn[]> {
  const since = new Date(scope.clock.now().getTime() - LISTED_MS);
  const { practiceId, test, locationIds } = viewer;
  const rows = await sql<Texts<PaymentToActOn>>(scope.em, TO_ACT_ON, [practiceId, test, locationIds, since]);
  return rows.map((row) => ({ ...row, at: new Date(row.at), dueBy: timeOf(row.dueBy) }));
}
