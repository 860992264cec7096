import type { Scope } from '../../platform/base/scope.ts';
import { addDays, daysBetween, monthOf } from '../../platform/base/time/zoned-time.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';
import { PAYMENT_OF_LINK } from './list-payments.ts';

/** Payments, and their amounts together. */
export interface PaymentSum {
  count: number;
  cents: number;
}

const PROCESSING = `
  select count(*)::integer as count, coalesce(sum(t.amount_cents), 0)::double precision as cents
  from transactions p join payment_links l on l.id = p.payment_link_id ${PAYMENT_OF_LINK}
  where p.practice_id = $1 and p.status = 'pending' and ${SEEN_LINK} and s.state = 'processing'`;

/**
 * Returns the bank debits that have not settled, of the payments that the viewer sees. It agrees with their list.
 *
 * @throws DatabaseUnavailable if the limiter of the practice had no free place in time
 */
export async function sumProcessing(scope: Scope, { practiceId, test, locationIds }: Viewer): Promise<PaymentSum> {
  const values = [practiceId, test, locationIds];
  const [row] = await withPlace(scope, ({ em }) => sql<PaymentSum>(em, PROCESSING, values));
  if (row === undefined) throw new Error('a sum without groups is a row');
  return row;
}

/**
 * Returns today, this week and this month up to today, each with the same days of the span before. Weeks begin on Monday, and a month is
 * compared with as many days.
 */
export function comparedSpans(today: string) {
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  const first = monthOf(today).from;
  const former = monthOf(addDays(first, -1));
  const sameDay = addDays(former.from, daysBetween(first, today) - 1);
  const yesterday = addDays(today, -1);
  return {
    today: { span: { from: today, to: today }, former: { from: yesterday, to: yesterday } },
    week: { span: { from: monday, to: today }, former: { from: addDays(monday, -7), to: addDays(today, -7) } },
    month: {
      span: { from: first, to: today },
      former: { from: former.from, to: sameDay < former.to ? sameDay : former.to },
    },
  };
}
