import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import { SEEN_LINK, type StaffStatus, type Viewer } from '../model/staff-status.ts';
import type { LinkStatus } from '../model/transitions.ts';

/** Number of links of each status that staff see. */
export type StaffCounts = Readonly<Record<StaffStatus, number>>;

/** Numbers of one moment. A status without links is absent. */
interface Row {
  stored: Partial<Record<LinkStatus, number>> | null;
  /** Debits that are not settled, by the status of their transaction. */
  unsettled: Partial<Record<'pending' | 'failed', number>> | null;
  overdue: number;
  /** Links with an open attempt. */
  open: number;
}

/** The indexes of the statuses count all links. Overdue links, open attempts and debits that did not settle are few. */
const COUNTS = `select
  (select json_object_agg(status, links) from (
     select l.status, count(*) as links from payment_links l where ${SEEN_LINK} group by l.status) as s) as stored,
  (select count(*)::integer from payment_links l where ${SEEN_LINK} and ${overdueSql('$4').join(' and ')}) as overdue,
  (select count(*)::integer from payment_attempts a
     join payment_links l on l.id = a.payment_link_id and l.open_attempt_id = a.id
   where a.practice_id = $1 and a.status in ('open', 'requires_action') and ${SEEN_LINK}) as open,
  (select json_object_agg(status, debits) from (
     select t.status, count(*) as debits from transactions t join payment_links l on l.id = t.payment_link_id
     where t.practice_id = $1 and t.status in ('pending', 'failed') and ${SEEN_LINK} group by t.status) as d) as unsettled`;

/** Counts the links that the viewer sees, exactly, at one moment. */
export async function countStaffLinks(scope: Scope, { practiceId, test, locationIds }: Viewer): Promise<StaffCounts> {
  const [row] = await sql<Row>(scope.em, COUNTS, [practiceId, test, locationIds, scope.clock.now()]);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  const { active = 0, paid = 0, expired = 0, cancelled = 0 } = row.stored ?? {};
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
