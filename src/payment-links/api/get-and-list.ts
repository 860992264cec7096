import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import { type ListPage, type ListQuery, listPage, offsetOf } from '../../platform/base/list-page.ts';
import type { CallerScope, Scope } from '../../platform/base/scope.ts';
import {
  jsonObject,
  propertiesWithout,
  rowReader,
  selectList,
  type Texts,
} from '../../platform/database/query/columns.ts';
import { createBindings, sql } from '../../platform/database/query/sql.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import { latestTransactionSql } from '../model/latest-transaction.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { SET_BY_DATABASE, type TransactionState } from '../state/state.ts';
import { linkView } from '../state/views.ts';
import { countExpression, type LinkFilter, matchesNothing, orderedQuery } from './filter.ts';

/*
 * Links as the API shows them. One hand-written statement reads each with its location, transaction and refunds. This is
 * what clients ask for most, and it costs a fifth of what entities would.
 */

type Row = Texts<PaymentLink> & {
  locationName: string;
  transaction: Texts<TransactionState> | null;
  refunds: Texts<Refund>[];
};

/** Columns of a `Row`, from `payment_links l` and its `locations o`. Only a paid link has a transaction. */
const ROW = `${selectList(PaymentLink, 'l')}, o.name as "locationName",
  case when l.status = 'paid' then (
    ${latestTransactionSql(jsonObject(Transaction, 't', propertiesWithout(Transaction, SET_BY_DATABASE)))}
  ) end as transaction,
  case when l.status = 'paid' then (
    select coalesce(json_agg(${jsonObject(Refund, 'r')} order by r.created_at, r.id), '[]')
    from refunds r where r.payment_link_id = l.id
  ) else '[]' end as refunds`;

/** Returns the link if the key sees it. @throws ApiError `not_found` */
export async function getLink(scope: CallerScope, id: string): Promise<PaymentLinkResource> {
  if (!isId('paymentLink', id)) throw new ApiError('not_found');
  const { practiceId, test, locationId } = scope.caller;
  const [row] = await sql<Row>(
    scope.em,
    `select ${ROW} from payment_links l join locations o on o.id = l.location_id
     where l.id = $1 and ${visibleRowsSql('l', '$2', '$3', '$4')}`,
    [id, practiceId, test, locationId],
    { keepPlan: true },
  );
  if (row === undefined) throw new ApiError('not_found');
  return viewRow(scope, row);
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
  const rows = await sql<Row>(
    scope.em,
    `select ${ROW} from (
       select id, created_at from (${orderedQuery(scope, filter, bind, offset + limit)}) as matching
       order by created_at desc, id desc limit ${bind(limit)} offset ${bind(offset)}
     ) as p join payment_links l on l.id = p.id join locations o on o.id = l.location_id
     order by l.created_at desc, l.id desc`,
    values,
  );
  return rows.map((row) => viewRow(scope, row));
}

const readLink = rowReader(PaymentLink);
const readTransaction = rowReader(Transaction);
const readRefund = rowReader(Refund);

function viewRow(scope: Scope, { locationName, transaction, refunds, ...row }: Row): PaymentLinkResource {
  const link = readLink<PaymentLink>(row);
  return linkView(scope, {
    link,
    location: { id: link.locationId, name: locationName },
    transaction: transaction === null ? null : readTransaction<TransactionState>(transaction),
    refunds: refunds.map(readRefund<Refund>),
  });
}
