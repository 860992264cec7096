import type { Scope } from '../../platform/base/scope.ts';
import { type SqlValue, sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';

/** Totals in cents. All but `netCents` are zero or more. */
export interface Totals {
  /** Payments that were made, also those that are under way or were returned. */
  payments: number;
  /** Settled payments, whatever was refunded later. */
  receivedCents: number;
  /** Debits that have not settled yet. */
  processingCents: number;
  /** Refunds that did not fail, on the day of the refund. */
  refundedCents: number;
  /** Settled debits that banks took back, and lost disputes, on the day of the bank's decision. */
  takenBackCents: number;
  /** Fees of the received payments, as far as the processor has reported them. */
  feeCents: number;
  /** Received, without refunds, amounts taken back, and fees. */
  netCents: number;
  /** Received payments whose fee is not known yet. */
  unknownFees: number;
}

/** Totals of one day, location and method. */
export interface TotalsRow extends Totals {
  /** Index of the day. */
  day: number;
  locationId: string;
  paymentMethodType: string;
}

/** Refunds and amounts taken back from `$5` on and before `$6`, with location and method of its payment. */
export const GIVEN_BACK = `
    select created_at as at, location_id, payment_method_type, amount_cents as refunded, 0 as taken_back
    from refunds l where ${SEEN_LINK} and status <> 'failed' and bank_reversal_id is null and created_at >= $5 and created_at < $6
    union all
    select created_at, location_id, payment_method_type, 0, amount_cents
    from bank_reversals l where ${SEEN_LINK} and created_at >= $5 and created_at < $6
    union all
    select closed_at, location_id, payment_method_type, 0, amount_cents
    from disputes l where ${SEEN_LINK} and status = 'lost' and closed_at >= $5 and closed_at < $6`;

/** Returns a sum as a number, which has room for ninety trillion dollars. A bigint would arrive as text. */
const sumSql = (value: string) => `sum(${value})::double precision`;

/**
 * One row per day, location and method. `$4` has the starts of the days and the end of the last one, so the database
 * needs no time zone. `$5` and `$6` are the first and the last of them: constants, by which the planner estimates the payments.
 */
const TOTALS = `
  with paid as (
    select l.paid_at as at, l.location_id, t.payment_method_type, t.status, t.amount_cents, t.fee_cents
    from payment_links l join transactions t on t.payment_link_id = l.id
    where ${SEEN_LINK} and l.paid_at >= $5 and l.paid_at < $6
  ),
  parts as (
    select at, location_id, payment_method_type, 1 as payments,
      case when status in ('succeeded', 'refunded') then amount_cents else 0 end as received,
      case when status = 'pending' then amount_cents else 0 end as processing, 0 as refunded, 0 as taken_back,
      case when status in ('succeeded', 'refunded') then coalesce(fee_cents, 0) else 0 end as fee,
      (status in ('succeeded', 'refunded') and fee_cents is null)::integer as unknown_fee
    from paid
    union all
    select at, location_id, payment_method_type, 0, 0, 0, refunded, taken_back, 0, 0 from (${GIVEN_BACK}) as given
  )
  select width_bucket(at, $4::timestamptz[]) - 1 as day, location_id as "locationId",
    payment_method_type as "paymentMethodType", ${sumSql('payments')} as payments, ${sumSql('received')} as "receivedCents",
    ${sumSql('processing')} as "processingCents", ${sumSql('refunded')} as "refundedCents",
    ${sumSql('taken_back')} as "takenBackCents", ${sumSql('fee')} as "feeCents",
    ${sumSql('received - refunded - taken_back - fee')} as "netCents", ${sumSql('unknown_fee')} as "unknownFees"
  from parts group by 1, 2, 3`;

/**
 * Returns the totals of each day, location and method that has some.
 *
 * @param starts starts of the days in order, and the end of the last one; at least two
 * @throws DatabaseUnavailable if the limiter of the practice had no free place in time
 */
export async function readDailyTotals(scope: Scope, viewer: Viewer, starts: readonly Date[]): Promise<TotalsRow[]> {
  const { practiceId, test, locationIds } = viewer;
  const [first, end] = [starts[0], starts.at(-1)];
  if (first === undefined || end === undefined) return [];
  const days = starts.map((start) => start.toISOString());
  const values: SqlValue[] = [practiceId, test, locationIds, days, first, end];
  // A month of 100,000 payments takes long. In the places of its practice, the statement leaves connections to others.
  return withPlace(scope, ({ em }) => sql<TotalsRow>(em, TOTALS, values));
}

export function sumOf(rows: readonly Totals[]): Totals {
  const sum = (name: keyof Totals) => rows.reduce((total, row) => total + row[name], 0);
  return {
    payments: sum('payments'),
    receivedCents: sum('receivedCents'),
    processingCents: sum('processingCents'),
    refundedCents: sum('refundedCents'),
    takenBackCents: sum('takenBackCents'),
    feeCents: sum('feeCents'),
    netCents: sum('netCents'),
    unknownFees: sum('unknownFees'),
  };
}
