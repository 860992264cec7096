import type { Scope } from '../../base/scope.ts';
import { countByStatus } from '../../database/query/kept-counts.ts';
import { sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import type { StaffReader, StaffStatus } from '../model/staff-status.ts';
import { TOTALS_ARE_KEPT } from './payment-totals.ts';

/** Most payments of a kind that are looked at. With more, a number is not exact. */
const MAX_COUNTED = 500;

/** Number of links of a status. */
export interface StaffCount {
  count: number;
  /** `at_least`: there are more than were looked at. `about`: such a number was subtracted. */
  precision: 'exact' | 'at_least' | 'about';
}

type Few = Record<'overdue' | 'open', { count: number; seen: number }>;

/** Payments that are not settled, by the status of their transaction. */
type Unsettled = Partial<Record<'pending' | 'failed', number>>;

/** Counts a bounded number of rows of `payments`, of which each has the id of its link and the practice of the reader. */
const few = (payments: string, condition = '') => `(
  select json_build_object('count', count(l.id), 'seen', count(*)) from (${payments} limit ${MAX_COUNTED}) as p
    left join payment_links l on l.id = p.link_id and l.practice_id = $1 and l.test = $2
      and ($3::text[] is null or l.location_id = any ($3)) ${condition})`;

const SEEN = '($3::text[] is null or location_id = any ($3))';

/** Counts pending and returned debits by the kept totals, or one by one while these are not complete. */
const UNSETTLED = `
  with source as (select ${TOTALS_ARE_KEPT} as is_kept)
  select json_object_agg(status, payments) from (
    select status, sum(payments) as payments from (
      select status, payments from payment_totals
      where (select is_kept from source) and practice_id = $1 and test = $2 and hour = '-infinity'
        and status in ('pending', 'failed') and ${SEEN}
      union all
      select c.status, c.payments from payment_total_changes c join payment_links l on l.id = c.payment_link_id
      where (select is_kept from source) and c.practice_id = $1 and c.status in ('pending', 'failed') and l.test = $2
        and ${SEEN}
      union all
      select t.status, 1 from transactions t join payment_links l on l.id = t.payment_link_id
      where not (select is_kept from source) and t.practice_id = $1 and t.status in ('pending', 'failed')
        and l.test = $2 and ${SEEN}
    ) as part group by status
  ) as counted`;

const FEW = `select
  ${few(`select id as link_id from payment_links where practice_id = $1 and test = $2
    and ${overdueSql('$4').join(' and ')} order by expires_at`)} as overdue,
  ${few(
    `select payment_link_id as link_id, id as attempt_id from payment_attempts where practice_id = $1
       and status in ('open', 'requires_action') order by created_at desc`,
    'and l.open_attempt_id = p.attempt_id',
  )} as open,
  (${UNSETTLED}) as unsettled`;

/**
 * Counts the links that the reader sees. Kept counts say how many links have which status, and kept totals how many debits
 * are pending or were returned. Attempts and overdue links are few; their own indexes find them.
 */
export async function countStaffLinks(
  scope: Scope,
  { practiceId, test, locationIds }: StaffReader,
): Promise<Readonly<Record<StaffStatus, StaffCount>>> {
  const byStatus = await countByStatus(scope, { list: 'links', practiceId, test, groupIds: locationIds });
  const [row] = await sql<Few & { unsettled: Unsettled | null }>(
    scope.em,
    FEW,
    [practiceId, test, locationIds, scope.clock.now()],
    { keepPlan: true },
  );
  if (row === undefined) throw new Error('a select without FROM returns a row');
  const { overdue, open } = row;
  const { pending = 0, failed: returned = 0 } = row.unsettled ?? {};
  const isCut = (...parts: Few['open'][]) => parts.some(({ seen }) => seen >= MAX_COUNTED);
  /** Two statements see two moments, so a difference may be negative for an instant. */
  const counted = (count: number, precision: StaffCount['precision'] = 'exact'): StaffCount => ({
    count: Math.max(0, count),
    precision,
  });
  const kept = (status: string) => byStatus.get(status) ?? 0;
  return {
    waiting: counted(kept('active') - overdue.count - open.count, isCut(overdue, open) ? 'about' : 'exact'),
    under_way: counted(open.count + pending, isCut(open) ? 'at_least' : 'exact'),
    paid: counted(kept('paid') - pending - returned),
    returned: counted(returned),
    expired: counted(kept('expired') + overdue.count, isCut(overdue) ? 'about' : 'exact'),
    cancelled: counted(kept('cancelled')),
  };
}
