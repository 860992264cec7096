import type { Scope } from '../../platform/base/scope.ts';
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
