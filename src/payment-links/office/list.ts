import type { Scope } from '../../platform/base/scope.ts';
import { selectList, type Texts } from '../../platform/database/query/columns.ts';
import { type Bind, createBindings, sql } from '../../platform/database/query/sql.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { ownCondition, type StaffStatus, staffStatusSql, type Viewer } from '../model/staff-status.ts';
import { latestTransactionSql } from '../model/transaction.entity.ts';
import { type LinkStatus, overdueSql } from '../model/transitions.ts';
import {
  type Cursor,
  nextLinksSql,
  type Page,
  type Piece,
  rangeConditions,
  splitByLocation,
  type TimeRange,
  takePage,
} from './page.ts';

/* Lists of links for a practice's staff. Each page reads a bounded part of an index, so that a long list opens as fast as a short one. */

const PAGE_SIZE = 25;

/** Filter of a list by the time of the creation, and more. Null means all. */
export interface StaffFilter extends TimeRange {
  status: StaffStatus | null;
  /** Limits waiting links to links that expire before; null for all. */
  expiresBefore: Date | null;
  /** Ids of the links that a search found. */
  ids: readonly string[] | null;
  /** Place of the page; null for the first one. */
  cursor: Cursor | null;
}

export const ALL_LINKS: StaffFilter = {
  ...{ status: null, expiresBefore: null, ids: null },
  ...{ from: null, before: null, cursor: null },
};

/** Properties of a link that the list shows as they are. */
const LISTED_PROPERTIES = [
  ...(['id', 'patientFirstName', 'patientLastName', 'patientPhone', 'patientExternalId'] as const),
  ...(['description', 'amountCents', 'externalReference', 'locationId', 'createdAt', 'expiresAt'] as const),
];

export interface StaffLinkRow extends Pick<PaymentLink, (typeof LISTED_PROPERTIES)[number]> {
  status: StaffStatus;
  /** State of a payment that was disputed or refunded; null for others, and without a payment. */
  afterPayment: 'disputed' | 'dispute_lost' | 'refunded' | null;
  /** Code of the latest attempt of an unpaid link, if it was declined; else null. */
  declineReason: string | null;
}

interface Query {
  viewer: Viewer;
  filter: StaffFilter;
  bind: Bind;
  /** The present time, as SQL. */
  now: string;
}

/** Joins the latest payment `t` of the link `l`, if it is paid. */
const LATEST_PAYMENT = `left join lateral (${latestTransactionSql('t.status')}) as t on l.status = 'paid'`;

/** Returns a page of the links that the viewer sees, newest first. */
export async function listStaffLinks(scope: Scope, viewer: Viewer, filter: StaffFilter): Promise<Page<StaffLinkRow>> {
  const { values, bind } = createBindings();
  const now = bind(scope.clock.now());
  const pieces = listPieces({ viewer, filter, bind, now });
  const rows = await sql<Texts<StaffLinkRow> & { at: string }>(
    scope.em,
    `select page.at, ${selectList(PaymentLink, 'l', LISTED_PROPERTIES)}, ${staffStatusSql(now)} as status,
       (select case when bool_or(status = 'open') then 'disputed' when bool_or(status = 'lost') then 'dispute_lost'
          when t.status = 'refunded' then 'refunded' end
        from disputes where payment_link_id = l.id) as "afterPayment",
       case when l.status <> 'paid' and l.open_attempt_id is null then (
         select failure_reason from payment_attempts where payment_link_id = l.id
         order by created_at desc, id desc limit 1) end as "declineReason"
     from (${nextLinksSql(pieces, filter.cursor, PAGE_SIZE + 1, bind)}) as page
       join payment_links l on l.id = page.id and l.practice_id = ${bind(viewer.practiceId)} ${LATEST_PAYMENT}
     order by page.at desc, page.id desc`,
    values,
  );
  const page = takePage(rows, PAGE_SIZE, ({ at }) => Date.parse(at));
  const times = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) => {
    return { createdAt: new Date(createdAt), expiresAt: new Date(expiresAt) };
  };
  return { ...page, rows: page.rows.map((row) => ({ ...row, ...times(row) })) };
}

/** Groups links by patient: by chart number, else by name and phone, because a family may share a phone. */
export function groupByPatient(links: readonly StaffLinkRow[]): StaffLinkRow[][] {
  const groups = Map.groupBy(
    links,
    ({ patientExternalId, patientFirstName, patientLastName, patientPhone }) =>
      patientExternalId ?? `${patientFirstName} ${patientLastName} ${patientPhone}`,
  );
  return [...groups.values()];
}

/** Returns the conditions on `l` that all links of the list meet, at whatever location. */
function listedConditions({ viewer, filter, bind }: Query): string[] {
  return [ownCondition(viewer, bind), ...rangeConditions('l.created_at', filter, bind)];
}

function locationConditions({ viewer: { locationIds }, bind }: Query): string[] {
  return locationIds === null ? [] : [`l.location_id = any (${bind(locationIds)})`];
}

/** Returns the pieces of the list. Without a search, indexes have its order. */
function listPieces(query: Query): Piece[] {
  const { now, bind } = query;
  const { ids, status, expiresBefore } = query.filter;
  // Bound only where it is used: PostgreSQL refuses a value that its statement does not use.
  const expiring = () => (expiresBefore === null ? [] : [`l.expires_at < ${bind(expiresBefore)}`]);
  if (ids !== null) {
    const hasStatus = status === null ? [] : [`${staffStatusSql(now)} = ${bind(status)}`];
    return [selectFew(query, [`l.id = any (${bind(ids)})`, ...hasStatus, ...expiring()], LATEST_PAYMENT)];
  }
  switch (status) {
    case null:
      return (['active', 'paid', 'expired', 'cancelled'] as const).flatMap((each) => selectByStatus(query, each));
    case 'waiting': {
      const conditions = [`l.expires_at > ${now}`, 'l.open_attempt_id is null', ...expiring()];
      if (expiresBefore === null) return selectByStatus(query, 'active', conditions);
      // The order of the list ends with the links that expire soon, so their own index finds them.
      return [selectFew(query, [`l.status = 'active'`, ...conditions])];
    }
    case 'paid': {
      const isUnsettled = `select from transactions t where t.payment_link_id = l.id and t.status in ('pending', 'failed')`;
      return selectByStatus(query, 'paid', [`not exists (${isUnsettled})`]);
    }
    case 'cancelled':
      return selectByStatus(query, 'cancelled');
    case 'expired':
      return [...selectByStatus(query, 'expired'), selectFew(query, overdueSql(now))];
    case 'returned':
      return [selectByPart(query, 'transactions', `r.status = 'failed'`)];
    case 'under_way':
      return [
        selectByPart(query, 'transactions', `r.status = 'pending'`),
        selectByPart(query, 'payment_attempts', `r.status in ('open', 'requires_action') and l.status = 'active'`),
      ];
    default:
      status satisfies never;
      throw new Error('a list has an unknown status');
  }
}

/** Reads all links of a kind of which there are few, by its own index (plan hint FENCE). */
function selectFew(query: Query, conditions: readonly string[], join = ''): Piece {
  const where = [...conditions, ...listedConditions(query), ...locationConditions(query)].join(' and ');
  const from = `(select l.created_at, l.id from payment_links l ${join} where ${where} offset 0) as few`;
  return { from, at: 'created_at', id: 'id', where: ['true'] };
}

function selectByStatus(query: Query, status: LinkStatus, conditions: readonly string[] = []): Piece[] {
  const conditionsOfList = listedConditions(query);
  return splitByLocation(query.viewer, query.bind).map((location) => ({
    from: 'payment_links l',
    at: 'l.created_at',
    id: 'l.id',
    where: [...conditionsOfList, `l.status = '${status}'`, location, ...conditions],
  }));
}

/** Reads the next links by their transactions or payment attempts `r`, the latest of these first. */
function selectByPart(query: Query, table: 'transactions' | 'payment_attempts', condition: string): Piece {
  const isOwn = `r.practice_id = ${query.bind(query.viewer.practiceId)}`;
  return {
    from: `${table} r join payment_links l on l.id = r.payment_link_id`,
    at: 'r.created_at',
    id: 'r.payment_link_id',
    where: [isOwn, condition, ...listedConditions(query), ...locationConditions(query)],
  };
}

/** Returns the number of the links that the viewer sees and that are not finished, by status: the lengths of their lists. */
export async function countOpenLinks(scope: Scope, viewer: Viewer): Promise<ReadonlyMap<string, number>> {
  const { values, bind } = createBindings();
  const now = bind(scope.clock.now());
  const counts = (['waiting', 'under_way', 'returned'] as const).map((status) => {
    const pieces = listPieces({ viewer, filter: { ...ALL_LINKS, status }, bind, now });
    return `select '${status}' as status, count(*)::integer as links from (${nextLinksSql(pieces, null, 'all', bind)}) as l`;
  });
  const rows = await sql<{ status: StaffStatus; links: number }>(scope.em, counts.join(' union all '), values);
  return new Map(rows.map(({ status, links }) => [status, links]));
}
