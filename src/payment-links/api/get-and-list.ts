import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import { type ListPage, type ListQuery, listPage, offsetOf } from '../../platform/base/list-page.ts';
import type { CallerScope } from '../../platform/base/scope.ts';
import { createBindings, sql } from '../../platform/database/query/sql.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import { linkView } from '../state/views.ts';
import { parseShown, SHOWN_COLUMNS, type ShownRow } from '../store/postgres.ts';
import { countExpression, type LinkFilter, matchesNothing, orderedQuery } from './filter.ts';

/*
 * Links as the API shows them. One hand-written statement reads each with its location, transaction and refunds. This is
 * what clients ask for most, and it costs a fifth of what entities would.
 */

/** Returns the link if the key sees it. @throws ApiError `not_found` */
export async function getLink(scope: CallerScope, id: string): Promise<PaymentLinkResource> {
  if (!isId('paymentLink', id)) throw new ApiError('not_found');
  const { practiceId, test, locationId } = scope.caller;
  const [row] = await sql<ShownRow>(
    scope.em,
    `select ${SHOWN_COLUMNS} from payment_links l join locations o on o.id = l.location_id
     where l.id = $1 and ${visibleRowsSql('l', '$2', '$3', '$4')}`,
    [id, practiceId, test, locationId],
    { keepPlan: true },
  );
  if (row === undefined) throw new ApiError('not_found');
  return linkView(scope, parseShown(row));
}

/** Returns one list page of the links that the key sees, newest first, with their total. */
export async function listLinks(
  scope: CallerScope,
  filter: LinkFilter,
  page: ListQuery,
): Promise<ListPage<PaymentLinkResource>> {
  if (matchesNothing(scope, filter)) return listPage([], 0, page);
  const total = await countVisibleLinks(scope, filter);
  if (offsetOf(page) >= total) return listPage([], total, page);
  return listPage(await readPage(scope, filter, page), total, page);
}

async function countVisibleLinks(scope: CallerScope, filter: LinkFilter): Promise<number> {
  const { values, bind } = createBindings();
  const count = countExpression(scope, filter, bind);
  const [row] = await sql<{ total: number }>(scope.em, `select (${count})::integer as total`, values);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  return row.total;
}

/** Reads the links of a page and, if there is one, the first link of the next page. */
async function readPage(scope: CallerScope, filter: LinkFilter, page: ListQuery): Promise<PaymentLinkResource[]> {
  const { values, bind } = createBindings();
  const [offset, limit] = [offsetOf(page), page.pageSize + 1];
  const rows = await sql<ShownRow>(
    scope.em,
    `select ${SHOWN_COLUMNS} from (
       select id, created_at from (${orderedQuery(scope, filter, bind, offset + limit)}) as matching
       order by created_at desc, id desc limit ${bind(limit)} offset ${bind(offset)}
     ) as p join payment_links l on l.id = p.id join locations o on o.id = l.location_id
     order by l.created_at desc, l.id desc`,
    values,
  );
  return rows.map((row) => linkView(scope, parseShown(row)));
}
