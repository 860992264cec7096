import type { Scope } from '../../platform/base/scope.ts';
import { type Texts, timeOf } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';
import { GIVEN_BACK, type Totals } from './daily-totals.ts';
import { PAYMENT_OF_LINK } from './list-payments.ts';
import { type ActReason, listedSince, toActOnSql } from './list-to-act-on.ts';

/** Links or payments, and their amounts together. */
interface Sum {
  count: number;
  cents: number;
}

/** Sums of a day, by the rules of `Totals`. */
export type DaySums = Pick<Totals, 'receivedCents' | 'refundedCents' | 'takenBackCents'>;

/** Figures of one moment. Each agrees with a list: those of waiting links, and those of payments by state. */
export interface Overview {
  /** Links that wait for their payment. */
  owed: Sum;
  /** Those of them that expire soon. */
  expiring: Sum;
  /** Bank debits that have not settled. */
  processing: Sum;
  /** Payments on which the practice has to act, by reason. Without any, a reason is absent. */
  toActOn: Partial<Record<ActReason, number>>;
  /** The first time until which a bank takes evidence on an open dispute; null without one. */
  evidenceDueBy: Date | null;
  /** One entry for each day that was asked for. */
  days: DaySums[];
}

/**
 * The index of unpaid links adds up alone. It cannot have open attempts, because each start of a payment would write it. They are
 * few, so their links are subtracted. So are payments that have not settled: to join all payments of two months takes six times as long.
 */
const OVERVIEW = `
  with waiting as (
    select 1 as links, amount_cents, expires_at from payment_links l
    where ${SEEN_LINK} and status = 'active' and expires_at > $7
    union all
    select -1, -l.amount_cents, l.expires_at from payment_attempts a
      join payment_links l on l.id = a.payment_link_id and l.open_attempt_id = a.id
    where a.practice_id = $1 and a.status in ('open', 'requires_action') and ${SEEN_LINK}
      and l.status = 'active' and l.expires_at > $7
  ), acts as (
    select a.reason, l.id, a.due_by from ${toActOnSql('$1', '$9')} a join payment_links l on l.id = a.payment_link_id
    where ${SEEN_LINK} and l.paid_at is not null
  ), moved as (
    select paid_at as at, amount_cents as received, 0 as refunded, 0 as taken_back from payment_links l
    where ${SEEN_LINK} and paid_at >= $5 and paid_at < $6
    union all
    select l.paid_at, -l.amount_cents, 0, 0 from transactions t join payment_links l on l.id = t.payment_link_id
    where t.practice_id = $1 and t.status in ('pending', 'failed') and ${SEEN_LINK} and l.paid_at >= $5 and l.paid_at < $6
    union all
    select at, 0, refunded, taken_back from (${GIVEN_BACK}) as given
  )
  select owed.*,
    (select json_build_object('count', count(*), 'cents', coalesce(sum(t.amount_cents), 0))
     from transactions p join payment_links l on l.id = p.payment_link_id ${PAYMENT_OF_LINK}
     where p.practice_id = $1 and p.status = 'pending' and ${SEEN_LINK} and s.state = 'processing') as processing,
    (select coalesce(json_object_agg(reason, payments), '{}') from (
      select reason, count(distinct id) as payments from acts group by reason) as of_reason) as "toActOn",
    (select min(due_by) from acts) as "evidenceDueBy",
    (select json_object_agg(day, json_build_object('receivedCents', received, 'refundedCents', refunded,
       'takenBackCents', taken_back)) from (
      select width_bucket(at, $4::timestamptz[]) - 1 as day, sum(received) as received, sum(refunded) as refunded,
        sum(taken_back) as taken_back
      from moved group by 1) as of_day) as days
  from (
    select json_build_object('count', coalesce(sum(links), 0), 'cents', coalesce(sum(amount_cents), 0)) as owed,
      json_build_object('count', coalesce(sum(links) filter (where expires_at < $8), 0),
        'cents', coalesce(sum(amount_cents) filter (where expires_at < $8), 0)) as expiring
    from waiting) as owed`;

/**
 * Returns the figures of the links and payments that the viewer sees.
 *
 * @param starts starts of the days in order, and the end of the last one
 * @param expiresBefore links that expire before count as expiring
 * @throws DatabaseUnavailable if the limiter of the practice had no free place in time
 */
export async function readOverview(
  scope: Scope,
  viewer: Viewer,
  starts: readonly Date[],
  expiresBefore: Date,
): Promise<Overview> {
  const { practiceId, test, locationIds } = viewer;
  const [first = null, end = null] = [starts[0], starts.at(-1)];
  const values = [
    practiceId,
    test,
    locationIds,
    starts.map((start) => start.toISOString()),
    first,
    end,
    scope.clock.now(),
    expiresBefore,
    listedSince(scope),
  ];
  type Row = Texts<Omit<Overview, 'days'>> & { days: Partial<Record<number, DaySums>> | null };
  const [row] = await withPlace(scope, ({ em }) => sql<Row>(em, OVERVIEW, values));
  if (row === undefined) throw new Error('a sum without groups is a row');
  const nothing = { receivedCents: 0, refundedCents: 0, takenBackCents: 0 };
  const days = starts.slice(1).map((_, index) => row.days?.[index] ?? nothing);
  return { ...row, evidenceDueBy: timeOf(row.evidenceDueBy), days };
}
