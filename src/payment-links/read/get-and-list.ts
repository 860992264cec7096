import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { type ListPage, listPage, offsetOf, type Page } from '../../base/list-page.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { type SqlValue, sql, type ValueOf } from '../../database/query/sql.ts';
import { type Texts, timeOf } from '../link/read-states.ts';
import { type LinkFields, type LinkParts, linkView } from '../link/views.ts';
import { countOf, type LinkFilter, matchesNothing, orderedQueryOf } from './filter.ts';

/*
 * Links as the API shows them. One hand-written statement reads each with its location, transaction and refunds. This is
 * what clients ask for most, and it costs a fifth of what entities would.
 */

type Row = Texts<LinkFields> & {
  locationId: string;
  locationName: string;
  transaction: Texts<NonNullable<LinkParts['transaction']>> | null;
  refunds: Texts<LinkParts['refunds'][number]>[];
};

/** Columns of a `Row`, from `payment_links l` and its `locations o`. Only a paid link has a transaction. */
const ROW = `l.id, l.test, l.token, l.status, l.source, l.amount_cents as "amountCents", l.currency, l.description,
  l.external_reference as "externalReference", l.metadata, l.patient_first_name as "patientFirstName",
  l.patient_last_name as "patientLastName", l.patient_phone as "patientPhone", l.patient_email as "patientEmail",
  l.patient_external_id as "patientExternalId", l.expires_at as "expiresAt", l.paid_at as "paidAt",
  l.open_attempt_id as "openAttemptId", l.created_at as "createdAt", o.id as "locationId", o.name as "locationName",
  case when l.status = 'paid' then (
    select json_build_object('status', t.status, 'amountCents', t.amount_cents, 'feeCents', t.fee_cents,
      'netCents', t.net_cents, 'paymentMethodType', t.payment_method_type,
      'paymentMethodBrand', t.payment_method_brand, 'paymentMethodLast4', t.payment_method_last4,
      'failureReason', t.failure_reason, 'processedAt', t.processed_at)
    from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1
  ) end as transaction,
  case when l.status = 'paid' then (
    select coalesce(json_agg(json_build_object('id', r.id, 'amountCents', r.amount_cents, 'status', r.status,
      'reason', r.reason, 'createdAt', r.created_at) order by r.created_at, r.id), '[]')
    from refunds r where r.payment_link_id = l.id
  ) else '[]' end as refunds`;

/** Returns the link if the key sees it. @throws ApiError `not_found` */
export async function readVisibleLink(scope: CallerScope, id: string): Promise<PaymentLinkResource> {
  if (!isId('paymentLink', id)) throw new ApiError('not_found');
  const { practiceId, test, locationId } = scope.caller;
  const [row] = await sql<Row>(
    scope.em,
    `select ${ROW} from payment_links l join locations o on o.id = l.location_id
     where l.id = $1 and l.practice_id = $2 and l.test = $3 and ($4::text is null or l.location_id = $4)`,
    [id, practiceId, test, locationId],
    { keepPlan: true },
  );
  if (row === undefined) throw new ApiError('not_found');
  return resourceOf(scope, row);
}

/** Returns one list page of the links that the key sees, newest first, with their total. */
export async function listVisibleLinks(
  scope: CallerScope,
  filter: LinkFilter,
  page: Page,
): Promise<ListPage<PaymentLinkResource>> {
  if (matchesNothing(scope, filter)) return listPage([], 0, page);
  const total = await countVisibleLinks(scope, filter);
  if (offsetOf(page) >= total) return listPage([], total, page);
  return listPage(await readPage(scope, filter, page), total, page);
}

async function countVisibleLinks(scope: CallerScope, filter: LinkFilter): Promise<number> {
  const values: SqlValue[] = [];
  const count = countOf(scope, filter, (of) => `$${values.push(of)}`);
  const [row] = await sql<{ total: number }>(scope.em, `select (${count})::integer as total`, values);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  return row.total;
}

/** Reads the links of a page and, if there is one, the first link of the next page. */
async function readPage(scope: CallerScope, filter: LinkFilter, page: Page): Promise<PaymentLinkResource[]> {
  const values: SqlValue[] = [];
  const value: ValueOf = (of) => `$${values.push(of)}`;
  const [offset, limit] = [offsetOf(page), page.pageSize + 1];
  const rows = await sql<Row>(
    scope.em,
    `select ${ROW} from (
       select id, created_at from (${orderedQueryOf(scope, filter, value, offset + limit)}) as matching
       order by created_at desc, id desc limit ${value(limit)} offset ${value(offset)}
     ) as p join payment_links l on l.id = p.id join locations o on o.id = l.location_id
     order by l.created_at desc, l.id desc`,
    values,
  );
  return rows.map((row) => resourceOf(scope, row));
}

function resourceOf(scope: Scope, row: Row): PaymentLinkResource {
  const { transaction, refunds, locationId, locationName } = row;
  const link: LinkFields = {
    ...row,
    expiresAt: new Date(row.expiresAt),
    createdAt: new Date(row.createdAt),
    paidAt: timeOf(row.paidAt),
  };
  return linkView(scope, link, {
    location: { id: locationId, name: locationName },
    transaction: transaction === null ? null : { ...transaction, processedAt: timeOf(transaction.processedAt) },
    refunds: refunds.map((refund) => ({ ...refund, createdAt: new Date(refund.createdAt) })),
  });
}
