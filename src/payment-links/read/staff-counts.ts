import type { Scope } from '../../base/scope.ts';
import { countByStatus } from '../../database/query/kept-counts.ts';
import { sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import type { StaffReader, StaffStatus } from '../model/staff-status.ts';

/** Most payments of a kind that are counted one by one. Statuses beyond it are shown as "at least". */
const MAX_COUNTED = 2_000;

/** Numbers of links by status. `isAtLeast` names those that are larger than shown. */
export interface StaffCounts {
  counts: Readonly<Record<StaffStatus, number>>;
  isAtLeast: (status: StaffStatus) => boolean;
}

/**
 * Counts the links that the reader sees. Kept counts say how many links have which status. Payments under way and returned
 * debits are few; their own indexes count them.
 */
export async function countStaffLinks(scope: Scope, reader: StaffReader): Promise<StaffCounts> {
  const { practiceId, test, locationIds } = reader;
  const byStatus = await countByStatus(scope, { list: 'links', practiceId, test, groupIds: locationIds });
  const [few] = await sql<Record<'overdue' | 'open' | 'pending' | 'returned', number>>(
    scope.em,
    `select
       (select count(*)::integer from (
         select from payment_links l where l.practice_id = $1 and l.test = $2 and ${overdueSql('$4').join(' and ')}
           and ($3::text[] is null or l.location_id = any ($3)) limit $5) as one) as overdue,
       (select count(*)::integer from (
         select from payment_attempts a join payment_links l on l.id = a.payment_link_id and l.open_attempt_id = a.id
         where a.practice_id = $1 and a.status in ('open', 'requires_action') and l.practice_id = $1 and l.test = $2
           and ($3::text[] is null or l.location_id = any ($3)) limit $5) as one) as open,
       (select count(*)::integer from (
         select from transactions t join payment_links l on l.id = t.payment_link_id
         where t.practice_id = $1 and t.status = 'pending' and l.practice_id = $1 and l.test = $2
           and ($3::text[] is null or l.location_id = any ($3)) limit $5) as one) as pending,
       (select count(*)::integer from (
         select from transactions t join payment_links l on l.id = t.payment_link_id
         where t.practice_id = $1 and t.status = 'failed' and l.practice_id = $1 and l.test = $2
           and ($3::text[] is null or l.location_id = any ($3)) limit $5) as one) as returned`,
    [practiceId, test, locationIds, scope.clock.now(), MAX_COUNTED],
  );
  if (few === undefined) throw new Error('a select without FROM returns a row');
  const { overdue, open, pending, returned } = few;
  const of = (status: string) => byStatus.get(status) ?? 0;
  // Two statements see two moments, so a difference may be negative for an instant.
  const positive = (count: number) => Math.max(0, count);
  const most: Partial<Record<StaffStatus, number>> = { under_way: Math.max(open, pending), returned };
  return {
    counts: {
      waiting: positive(of('active') - overdue - open),
      under_way: open + pending,
      paid: positive(of('paid') - pending - returned),
      returned,
      expired: of('expired') + overdue,
      cancelled: of('cancelled'),
    },
    isAtLeast: (status) => (most[status] ?? 0) >= MAX_COUNTED,
  };
}
