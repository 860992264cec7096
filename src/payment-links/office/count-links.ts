import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { SEEN_LINK, type StaffStatus, type Viewer } from '../model/staff-status.ts';

/** Indexes of unpaid links, open attempts and unsettled payments have little more than what is counted, however long the history is. */
const COUNTS = `
  select status, sum(links)::integer as links from (
    select 'waiting' as status, count(*) as links from payment_links l
    where ${SEEN_LINK} and l.status = 'active' and l.expires_at > $4 and not exists (select from payment_attempts a
      where a.practice_id = $1 and a.status in ('open', 'requires_action') and a.payment_link_id = l.id)
    union all
    select 'under_way', count(*) from payment_attempts a join payment_links l on l.id = a.payment_link_id and l.status = 'active'
    where a.practice_id = $1 and a.status in ('open', 'requires_action') and ${SEEN_LINK}
    union all
    select case t.status when 'pending' then 'under_way' else 'returned' end, count(*)
    from transactions t join payment_links l on l.id = t.payment_link_id and l.status = 'paid'
    where t.practice_id = $1 and t.status in ('pending', 'failed') and ${SEEN_LINK}
      and not exists (select from transactions n where n.payment_link_id = l.id and (n.created_at, n.id) > (t.created_at, t.id))
    group by 1
  ) as counted group by 1 having sum(links) > 0`;

/** Returns the number of the links that the viewer sees and that are not finished, by status. A status without links is absent. */
export async function countOpenLinks(scope: Scope, viewer: Viewer): Promise<ReadonlyMap<string, number>> {
  const { practiceId, test, locationIds } = viewer;
  const values = [practiceId, test, locationIds, scope.clock.now()];
  const rows = await sql<{ status: StaffStatus; links: number }>(scope.em, COUNTS, values);
  return new Map(rows.map(({ status, links }) => [status, links]));
}
