import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import { SEEN_LINK, type StaffStatus, type Viewer } from '../model/staff-status.ts';
import { LINK, type LinkStatus } from '../model/transitions.ts';

/** Number of links of each status that staff see. */
export type StaffCounts = Readonly<Record<StaffStatus, number>>;

/** Numbers of one moment. */
interface Row {
  stored: Record<LinkStatus, number>;
  /** Debits that are not settled, by the status of their transaction. A status without debits is absent. */
  unsettled: Partial<Record<'pending' | 'failed', number>> | null;
  overdue: number;
  /** Links with an open attempt. */
  open: number;
}

/** The index of each status counts its links alone, in half of the time of one sum with groups. Overdue links, open attempts and debits that did not settle are few. */
const COUNTS = `select
  (select json_object_agg(s.status, (select count(*) from payment_links l where ${SEEN_LINK} and l.status = s.status))
   from unnest($5::text[]) as s (status)) as stored,
  (select count(*)::integer from payment_links l where ${SEEN_LINK} and ${overdueSql('$4').join(' and ')}) as overdue,
  (select count(*)::integer from payment_attempts a
     join payment_links l on l.id = a.payment_link_id and l.open_attempt_id = a.id
   where a.practice_id = $1 and a.status in ('open', 'requires_action') and ${SEEN_LINK}) as open,
  (select json_object_agg(status, debits) from (
     select t.status, count(*) as debits from transactions t join payment_links l on l.id = t.payment_link_id
     where t.practice_id = $1 and t.status in ('pending', 'failed') and ${SEEN_LINK} group by t.status) as d) as unsettled`;

/** Counts the links that the viewer sees, exactly, at one moment. */
export async function countStaffLinks(scope: Scope, { practiceId, test, locationIds }: Viewer): Promise<StaffCounts> {
  const [row] = await sql<Row>(scope.em, COUNTS, [
    ...[practiceId, test, locationIds, scope.clock.now(), Object.keys(LINK)],
  ]);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  const { active, paid, expired, cancelled } = row.stored;
  const { pending = 0, failed: returned = 0 } = row.unsettled ?? {};
  return {
    waiting: active - row.overdue - row.open,
    under_way: row.open + pending,
    paid: paid - pending - returned,
    returned,
    expired: expired + row.overdue,
    cancelled,
  };
}
