import type { Scope } from '../../platform/base/scope.ts';
import { parseTime, type Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer } from '../model/staff-status.ts';
import { PAYMENT_OF_LINK } from './list-payments.ts';
import { type ActReason, listedSince, toActOnSql } from './list-to-act-on.ts';

/** Payments, and their amounts together. */
interface Sum {
  count: number;
  cents: number;
}

/** Figures of one moment. Each agrees with a list of payments. */
export interface Overview {
  /** Bank debits that have not settled. */
  processing: Sum;
  /** Payments on which the practice has to act, by reason. Without any, a reason is absent. */
  toActOn: Partial<Record<ActReason, number>>;
  /** The first time until which a bank takes evidence on an open dispute; null without one. */
  evidenceDueBy: Date | null;
}

const OVERVIEW = `
  with acts as (
    select a.reason, l.id, a.due_by from ${toActOnSql('$1', '$4')} a join payment_links l on l.id = a.payment_link_id
    where ${SEEN_LINK} and l.paid_at is not null
  )
  select (select json_build_object('count', count(*), 'cents', coalesce(sum(t.amount_cents), 0))
     from transactions p join payment_links l on l.id = p.payment_link_id ${PAYMENT_OF_LINK}
     where p.practice_id = $1 and p.status = 'pending' and ${SEEN_LINK} and s.state = 'processing') as processing,
    (select coalesce(json_object_agg(reason, payments), '{}') from (
      select reason, count(distinct id) as payments from acts group by reason) as of_reason) as "toActOn",
    (select min(due_by) from acts) as "evidenceDueBy"`;

/**
 * Returns the figures of the payments that the viewer sees.
 *
 * @throws DatabaseUnavailable if the limiter of the practice had no free place in time
 */
export async function readOverview(scope: Scope, viewer: Viewer): Promise<Overview> {
  const { practiceId, test, locationIds } = viewer;
  const values = [practiceId, test, locationIds, listedSince(scope)];
  const [row] = await withPlace(scope, ({ em }) => sql<Texts<Overview>>(em, OVERVIEW, values));
  if (row === undefined) throw new Error('a sum without groups is a row');
  return { ...row, evidenceDueBy: parseTime(row.evidenceDueBy) };
}
