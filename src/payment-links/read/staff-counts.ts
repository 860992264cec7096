import type { Scope } from '../../base/scope.ts';
import { countByStatus } from '../../database/query/kept-counts.ts';
import { sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import type { StaffReader, StaffStatus } from '../model/staff-status.ts';

/** Most payments of a kind that are looked at. With more, a number is not exact. */
const MAX_COUNTED = 500;

/** Number of links of a status. */
export interface StaffCount {
  count: number;
  /** `at_least`: there are more than were looked at. `about`: such a number was subtracted. */
  precision: 'exact' | 'at_least' | 'about';
}

type Few = Record<'overdue' | 'open' | 'pending' | 'returned', { count: number; seen: number }>;

/** Counts a bounded number of rows of `payments`, of which each has the id of its link and the practice of the reader. */
const few = (payments: string, condition = '') => `(
  select json_build_object('count', count(l.id), 'seen', count(*)) from (${payments} limit ${MAX_COUNTED}) as p
    left join payment_links l on l.id = p.link_id and l.practice_id = $1 and l.test = $2
      and ($3::text[] is null or l.location_id = any ($3)) ${condition})`;

const FEW = `select
  ${few(`select id as link_id from payment_links where practice_id = $1 and test = $2
    and ${overdueSql('$4').join(' and ')}`)} as overdue,
  ${few(
    `select payment_link_id as link_id, id as attempt_id from payment_attempts where practice_id = $1
       and status in ('open', 'requires_action') order by created_at desc`,
    'and l.open_attempt_id = p.attempt_id',
  )} as open,
  ${few(`select payment_link_id as link_id from transactions where practice_id = $1 and status = 'pending'
    order by created_at desc`)} as pending,
  ${few(`select payment_link_id as link_id from transactions where practice_id = $1 and status = 'failed'
    order by created_at desc`)} as returned`;

/**
 * Counts the links that the reader sees. Kept counts say how many links have which status. Payments under way and returned
 * debits are few; their own indexes find the latest of them.
 */
export async function countStaffLinks(
  scope: Scope,
  { practiceId, test, locationIds }: StaffReader,
): Promise<Readonly<Record<StaffStatus, StaffCount>>> {
  const byStatus = await countByStatus(scope, { list: 'links', practiceId, test, groupIds: locationIds });
  const [row] = await sql<Few>(scope.em, FEW, [practiceId, test, locationIds, scope.clock.now()], {
    keepPlan: true,
  });
  if (row === undefined) throw new Error('a select without FROM returns a row');
  const isCut = ({ seen }: { seen: number }) => seen >= MAX_COUNTED;
  const { overdue, open, pending, returned } = row;
  const counted = (...parts: Few['open'][]): StaffCount => ({
    count: parts.reduce((sum, { count }) => sum + count, 0),
    precision: parts.some(isCut) ? 'at_least' : 'exact',
  });
  const kept = (status: string, sign: 1 | -1, ...parts: Few['open'][]): StaffCount => ({
    // Two statements see two moments, so a difference may be negative for an instant.
    count: Math.max(0, (byStatus.get(status) ?? 0) + sign * counted(...parts).count),
    precision: parts.some(isCut) ? 'about' : 'exact',
  });
  return {
    waiting: kept('active', -1, overdue, open),
    under_way: counted(open, pending),
    paid: kept('paid', -1, pending, returned),
    returned: counted(returned),
    expired: kept('expired', 1, overdue),
    cancelled: kept('cancelled', 1),
  };
}
