import type { Scope } from '../../platform/base/scope.ts';
import { type Texts, timeOf } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';
import { GIVEN_BACK, type Totals } from './daily-totals.ts';
import { PAYMENT_OF_LINK } from './list-payments.ts';
import { type ActReason, listedSince, toActOnSql } from './list-to-act-on.ts';

/** Payments, and their amounts together. */
interface Sum {
  count: number;
  cents: number;
}

/** Sums of a day, by the rules of `Totals`. */
export type DaySums = Pick<Totals, 'receivedCents' | 'refundedCents' | 'takenBackCents'>;

/** Figures of one moment. Each agrees with a list of payments. */
export interface Overview {
  /** Bank debits that have not settled. */
  processing: Sum;
  /** Payments on which the practice has to act, by reason. Without any, a reason is absent. */
  toActOn: Partial<Record<ActReason, number>>;
  /** The first time until which a bank takes evidence on an open dispute; null without one. */
  evidenceDueBy: Date | null;
  /** One entry for each day that was asked for. */
  days: DaySums[];
}

/** Payments that have not settled are subtracted. To join all payments of two months takes six times as long. */
const OVERVIEW = `
  with acts as (
    select a.reason, l.id, a.due_by from ${toActOnSql('$1', '$7')} a join payment_links l on l.id = a.payment_link_id
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
  select (select json_build_object('count', count(*), 'cents', coalesce(sum(t.amount_cents), 0))
     from transactions p join payment_links l on l.id = p.payment_link_id ${PAYMENT_OF_LINK}
     where p.practice_id = $1 and p.status = 'pending' and ${SEEN_LINK} and s.state = 'processing') as processing,
    (select coalesce(json_object_agg(reason, payments), '{}') from (
      select reason, count(distinct id) as payments from acts group by reason) as of_reason) as "toActOn",
    (select min(due_by) from acts) as "evidenceDueBy",
    (select json_object_agg(day, json_build_object('receivedCents', received, 'refundedCents', refunded,
       'takenBackCents', taken_back)) from (
      select width_bucket(at, $4::timestamptz[]) - 1 as day, sum(received) as received, sum(refunded) as refunded,
        sum(taken_back) as taken_back
      from moved group by 1) as of_day) as days`;

/**
 * Returns the figures of the payments that the viewer sees.
 *
 * @param starts starts of the days in order, and the end of the last one
 * @throws DatabaseUnavailable if the limiter of the practice had no free place in time
 */
export async function readOverview(scope: Scope, viewer: Viewer, starts: readonly Date[]): Promise<Overview> {
  const { practiceId, test, locationIds } = viewer;
  const [first = null, end = null] = [starts[0], starts.at(-1)];
  const values = [
    practiceId,
    test,
    locationIds,
    starts.map((start) => start.toISOString()),
    first,
    end,
    listedSince(scope),
  ];
  type Row = Texts<Omit<Overview, 'days'>> & { days: Partial<Record<number, DaySums>> | null };
  const [row] = await withPlace(scope, ({ em }) => sql<Row>(em, OVERVIEW, values));
  if (row === undefined) throw new Error('a sum without groups is a row');
  const nothing = { receivedCents: 0, refundedCents: 0, takenBackCents: 0 };
  const days = starts.slice(1).map((_, index) => row.days?.[index] ?? nothing);
  return { ...row, evidenceDueBy: timeOf(row.evidenceDueBy), days };
}
