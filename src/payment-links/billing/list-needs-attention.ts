import type { Scope } from '../../platform/base/scope.ts';
import { parseTime, type Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { returnedSql } from '../model/owed.ts';
import { SEEN_LINK, type Viewer, viewerValues } from '../model/staff-status.ts';

/** A payment that needs attention: an open dispute that nobody has answered, a returned debit, or a refund that failed. */
export interface NeedsAttention {
  reason: 'open_dispute' | 'returned_debit' | 'failed_refund';
  id: string;
  /** Id of the dispute or refund, or of the link of a returned debit. */
  recordId: string;
  patientFirstName: string;
  patientLastName: string;
  amountCents: number;
  /** Time of the refund, of the return or of the dispute. Of a debit that was returned before version 3.0.0: of the payment. */
  at: Date;
  /** Time until which the bank takes evidence; null for all but disputes. */
  dueBy: Date | null;
}

/** Most entries of the list. Entries beyond it come up when earlier ones are settled. */
export const MAX_ENTRIES = 200;

/** Each entry ends with its cause. A failed refund ends when its amount is refunded again, or when a person settles it. */
const NEEDS_ATTENTION = `
  select a.reason, l.id, a.record_id as "recordId", l.patient_first_name as "patientFirstName",
    l.patient_last_name as "patientLastName", a.amount_cents as "amountCents", a.at, a.due_by as "dueBy"
  from (
    select 'open_dispute' as reason, payment_link_id, id as record_id, amount_cents, created_at as at, evidence_due_by as due_by
    from disputes where practice_id = $1 and status = 'open' and answered_at is null
    union all
    select 'failed_refund', f.payment_link_id, f.id, f.amount_cents, f.created_at, null
    from refunds f join transactions t on t.id = f.transaction_id
    where f.practice_id = $1 and f.status = 'failed' and f.bank_reversal_id is null
      and not exists (select from refund_resolutions e where e.practice_id = $1 and e.refund_id = f.id)
      and t.amount_cents - f.amount_cents >= (select coalesce(sum(n.amount_cents), 0) from refunds n
        where n.transaction_id = t.id and n.status <> 'failed')
        + (select coalesce(sum(d.amount_cents), 0) from disputes d
          where d.payment_link_id = f.payment_link_id and d.practice_id = f.practice_id and d.status = 'lost')
    union all
    select 'returned_debit', id, id, amount_cents, since, null from (${returnedSql()}) as returned
  ) a join payment_links l on l.id = a.payment_link_id
  where ${SEEN_LINK} and l.paid_at is not null
  order by a.due_by, a.at desc, a.record_id limit ${MAX_ENTRIES}`;

/** Returns the payments that need attention, the most urgent disputes first. */
export async function listNeedsAttention(scope: Scope, viewer: Viewer): Promise<NeedsAttention[]> {
  const rows = await withPlace(scope, ({ em }) =>
    sql<Texts<NeedsAttention>>(em, NEEDS_ATTENTION, viewerValues(viewer)),
  );
  return rows.map((row) => ({ ...row, at: new Date(row.at), dueBy: parseTime(row.dueBy) }));
}
