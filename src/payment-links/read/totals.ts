import { offsetOf, type Page } from '../../base/list-page.ts';
import type { CallerScope } from '../../base/scope.ts';
import {
  type Counted,
  findPlace,
  type Place,
  type Range,
  type Rows,
  type ValueOf,
} from '../../database/query/kept-counts.ts';
import { type SqlValue, sql } from '../../database/query/sql.ts';
import { conditionsOf, type LinkFilter, overdueOf } from './filter.ts';

/*
 * Totals of lists of links, and the places where their pages begin. Kept counts answer filters of status, location, time of
 * creation, and an external reference of thousands of links. Other lists are counted row by row. Their filter is an external
 * reference of few links, or `paidAfter` together with an external reference or an earlier time of creation.
 */

/** Returns the total of links that match and the place of the page; null if no link can match. */
export async function findVisibleLinks(
  scope: CallerScope,
  filter: LinkFilter,
  page: Page,
): Promise<{ total: number; place: Place } | null> {
  const { caller } = scope;
  const { pageSize } = page;
  const offset = offsetOf(page);
  const { status, externalReference, locationId = null, createdAfter, createdBefore, paidAfter } = filter;
  if (locationId !== null && caller.locationId !== null && locationId !== caller.locationId) return null;
  // Only paid links have a time of payment.
  if (paidAfter !== undefined && status !== undefined && status !== 'paid') return null;
  const isCounted = externalReference === undefined || (await isFrequent(scope, externalReference));
  if (!isCounted) return { total: await countEach(scope, filter), place: { position: null, offset } };
  const pin = locationId ?? caller.locationId;
  const { practiceId, test } = caller;
  const counted: Counted = {
    ...{ list: 'links', practiceId, test, groupIds: pin === null ? null : [pin] },
    ...{ label: externalReference ?? null, status: paidAfter === undefined ? (status ?? null) : 'paid' },
  };
  const range: Range = {
    ...{ from: createdAfter ?? null, before: createdBefore ?? null, offset, pageSize },
    // Paid links that were created after `paidAfter` were paid after it, too. Of older links, only some were.
    anchorFrom: paidAfter ?? null,
  };
  if (paidAfter === undefined) return findPlace(scope, counted, range, rowsOf(scope, filter));
  const paid: LinkFilter = { ...filter, status: 'paid', paidAfter: undefined };
  const found = await findPlace(scope, counted, range, rowsOf(scope, paid));
  if (createdAfter !== undefined && createdAfter >= paidAfter) return found;
  const isPlain = createdAfter === undefined && createdBefore === undefined && externalReference === undefined;
  if (!isPlain) return { total: await countEach(scope, filter), place: found.place };
  const payments = { from: paidAfter, before: null, offset: 0, pageSize: 0, anchorFrom: null };
  const { total } = await findPlace(scope, { ...counted, list: 'payments' }, payments, {
    ...{ count: (value) => countOf(conditionsOf(scope, paid, value)), column: 'paid_at', corrections: null },
  });
  return { total, place: found.place };
}

function rowsOf(scope: CallerScope, filter: LinkFilter): Rows {
  const { status } = filter;
  // Kept counts count overdue links as active.
  const change = status === 'active' ? -1 : status === 'expired' ? 1 : null;
  const overdue = (value: ValueOf) =>
    `select created_at, id, ${change} from payment_links where ${overdueOf(scope, filter, value)}`;
  return {
    count: (value) => countOf(conditionsOf(scope, filter, value, { withCreation: false })),
    column: 'created_at',
    corrections: change === null ? null : overdue,
  };
}

function countOf(conditions: string): string {
  return `select count(*) from payment_links where ${conditions}`;
}

async function countEach(scope: CallerScope, filter: LinkFilter): Promise<number> {
  const values: SqlValue[] = [];
  const text = countOf(conditionsOf(scope, filter, (of) => `$${values.push(of)}`));
  const [row] = await sql<{ total: number }>(scope.em, `select (${text})::integer as total`, values);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  return row.total;
}

async function isFrequent({ em, caller }: CallerScope, reference: string): Promise<boolean> {
  const rows = await sql(
    em,
    'select from frequent_references where practice_id = $1 and test = $2 and reference = $3 and is_counted',
    [caller.practiceId, caller.test, reference],
    { keepPlan: true },
  );
  return rows.length > 0;
}
