import type { OperationInput, PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import { type ListQuery, listPage, pageOffset } from '../../platform/base/list-page.ts';
import type { CallerScope } from '../../platform/base/scope.ts';
import { timeBound } from '../../platform/base/time/timestamp.ts';
import { type Bind, createBindings, sql } from '../../platform/database/query/sql.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import { LINK, type LinkStatus, overdueSql } from '../model/transitions.ts';
import { linkView } from '../state/views.ts';
import { parseShown, SHOWN_COLUMNS, type ShownRow } from '../store/postgres.ts';

/* Links as the API shows them. Each is read by one hand-written statement, at a fifth of the cost of entities. */

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
export async function listLinks(scope: CallerScope, filter: LinkFilter, page: ListQuery) {
  const total = await countVisibleLinks(scope, filter);
  const links = pageOffset(page) < total ? await readPage(scope, filter, page) : [];
  return listPage(links, total, page);
}

async function countVisibleLinks(scope: CallerScope, filter: LinkFilter): Promise<number> {
  const { values, bind } = createBindings();
  const count = countExpression(scope, filter, bind);
  const [row] = await sql<{ total: number }>(scope.em, `select (${count})::integer as total`, values);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  return row.total;
}

/** Reads the links of a page, and the first one of the next page. */
async function readPage(scope: CallerScope, filter: LinkFilter, page: ListQuery): Promise<PaymentLinkResource[]> {
  const { values, bind } = createBindings();
  const [offset, limit] = [pageOffset(page), page.pageSize + 1];
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

type LinkFilter = Omit<OperationInput<'listPaymentLinks'>['query'], 'page' | 'pageSize'>;

const STATUSES = Object.keys(LINK) as LinkStatus[];

/** Overdue links are stored as active, and counted for the other status. So the index of each status counts without reading links. */
function countExpression(scope: CallerScope, filter: LinkFilter, bind: Bind): string {
  const count = (...conditions: string[]) =>
    `(select count(*) from payment_links where ${[...commonConditions(scope, filter, bind), ...conditions].join(' and ')})`;
  switch (filter.status) {
    case 'active':
      return `${count(`status = 'active'`)} - ${count(...overdueConditions(scope, bind))}`;
    case 'expired':
      return `${count(`status = 'expired'`)} + ${count(...overdueConditions(scope, bind))}`;
    default:
      return count(...statusConditions(filter));
  }
}

/**
 * Returns a query for id and time of creation of the links that match. Its pieces each read an index in the list's order,
 * so the database merges them. A first list page reads no more than its rows.
 * @param limit most rows that are needed; plan hint LIMITED_PIECES: it is the limit of each piece
 */
function orderedQuery(scope: CallerScope, filter: LinkFilter, bind: Bind, limit: number): string {
  const { status, externalReference, paidAfter } = filter;
  const conditions = commonConditions(scope, filter, bind);
  const query = (...more: string[]) =>
    `select id, created_at from payment_links where ${[...conditions, ...more].join(' and ')}`;
  // Plan hint FENCE: links are found by the time of payment and sorted. In the list's order, all older links would be read.
  if (paidAfter !== undefined && externalReference === undefined) {
    return `select id, created_at from (${query(...statusConditions(filter))} offset 0) as paid`;
  }
  const rows = bind(limit);
  const piece = (...more: string[]) => `(${query(...more)} order by created_at desc, id desc limit ${rows}::bigint)`;
  if (status === 'active') {
    // The few overdue links are found first, so the index of the status answers the rest alone.
    return piece(
      `status = 'active'`,
      `id not in (select id from (${query(...overdueConditions(scope, bind))}) as overdue)`,
    );
  }
  if (status === 'expired') {
    // Plan hint FENCE: the few overdue links are found first, by their own index.
    return `${piece(`status = 'expired'`)} union all
      select id, created_at from (${query(...overdueConditions(scope, bind))} offset 0) as overdue`;
  }
  if (status !== undefined || !isSelective(scope, filter)) return piece(...statusConditions(filter));
  // The index of a location or reference has the status before the time of creation.
  return STATUSES.map((each) => piece(`status = '${each}'`)).join(' union all ');
}

function commonConditions(
  { caller }: CallerScope,
  { externalReference, locationId, createdAfter, createdBefore, paidAfter }: LinkFilter,
  bind: Bind,
): string[] {
  const { practiceId, test, locationId: pinnedTo } = caller;
  const where = [visibleRowsSql('payment_links', bind(practiceId), bind(test), bind(pinnedTo))];
  if (externalReference !== undefined) where.push(`external_reference = ${bind(externalReference)}`);
  if (locationId !== undefined) where.push(`location_id = ${bind(locationId)}`);
  if (createdAfter !== undefined) where.push(`created_at >= ${bind(timeBound(createdAfter))}`);
  if (createdBefore !== undefined) where.push(`created_at < ${bind(timeBound(createdBefore))}`);
  if (paidAfter !== undefined) where.push(`paid_at >= ${bind(timeBound(paidAfter))}`);
  return where;
}

/** Returns true if the indexes for the filter have the status before the time of creation. */
function isSelective({ caller }: CallerScope, { externalReference, locationId }: LinkFilter): boolean {
  return caller.locationId !== null || locationId !== undefined || externalReference !== undefined;
}

/** Returns the condition of a status that is stored as it is shown. Only paid links have a time of payment. */
function statusConditions({ status, paidAfter }: LinkFilter): string[] {
  const isImplied = status === 'paid' && paidAfter !== undefined;
  return status === undefined || isImplied ? [] : [`status = '${status}'`];
}

function overdueConditions({ clock }: CallerScope, bind: Bind): string[] {
  return overdueSql(bind(clock.now()));
}
