import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { createBindings, sql } from '../../database/query/sql.ts';
import { overdueSql } from '../model/overdue.ts';
import { atLocation, type StaffStatus, staffStatusSql, type Viewer } from '../model/staff-status.ts';
import type { LinkStatus } from '../model/transitions.ts';
import { ownConditions } from '../read/search.ts';
import { andAll, createdConditions, type StaffFilter, type StaffQuery } from './query.ts';

/*
 * Lists of links for a practice's staff. Each page starts at a cursor and reads a bounded part of an index. So a list of a
 * million links opens as fast as one of a thousand. Nothing counts the matches.
 */

const PAGE_SIZE = 25;

export interface StaffLinkRow {
  id: string;
  status: StaffStatus;
  isRefunded: boolean;
  /** Code of the latest attempt of an unpaid link, if it was declined; else null. */
  declineReason: string | null;
  firstName: string;
  lastName: string;
  amountCents: number;
  externalReference: string | null;
  locationId: string;
  createdAt: Date;
  expiresAt: Date;
}

/** A page, newest first. */
export interface StaffPage {
  links: StaffLinkRow[];
  /** Cursor of the next page; null on the last one. */
  older: string | null;
}

type Row = Omit<StaffLinkRow, 'createdAt' | 'expiresAt'> & { at: string; createdAt: string; expiresAt: string };

/** Returns a page of the links that the viewer sees. */
export async function listStaffLinks(scope: Scope, viewer: Viewer, filter: StaffFilter): Promise<StaffPage> {
  const { values, bind } = createBindings();
  const { found, status } = filter;
  const limit = bind(PAGE_SIZE + 1);
  const query = { scope, viewer, filter, bind, limit };
  const candidates =
    found === null
      ? candidateQuery(query)
      : `select p.created_at as at, p.id from payment_links p where p.id = any (${bind(found)}) and ${ownConditions(query)}`;
  const joinLatestPayment = (link: string) => `left join lateral (
    select status from transactions where payment_link_id = ${link}.id and ${link}.status = 'paid'
    order by created_at desc, id desc limit 1) as t on true`;
  const now = bind(scope.clock.now());
  const conditions = found === null ? [] : searchConditions(query, now);
  const rows = await sql<Row>(
    scope.em,
    `with candidate as materialized (${candidates})
     select page.at, l.id, ${staffStatusSql(now)} as status,
       coalesce(t.status = 'refunded', false) as "isRefunded", l.patient_first_name as "firstName",
       l.patient_last_name as "lastName", l.amount_cents as "amountCents",
       l.external_reference as "externalReference", l.location_id as "locationId",
       l.created_at as "createdAt", l.expires_at as "expiresAt",
       case when l.status <> 'paid' and l.open_attempt_id is null then (
         select failure_reason from payment_attempts where payment_link_id = l.id
         order by created_at desc, id desc limit 1) end as "declineReason"
     from (
       select c.at, c.id from (select distinct at, id from candidate) as c
         ${conditions.length === 0 ? '' : 'join payment_links l on l.id = c.id'}
         ${found !== null && status !== null ? joinLatestPayment('l') : ''}
       where true ${andAll(...conditions, ...cursorConditions('c.at', 'c.id', query))}
       order by c.at desc, c.id desc limit ${limit}
     ) as page
       join payment_links l on l.id = page.id and l.practice_id = ${bind(viewer.practiceId)} ${joinLatestPayment('l')}
     order by page.at desc, page.id desc`,
    values,
  );
  const last = rows.length > PAGE_SIZE ? rows[PAGE_SIZE - 1] : undefined;
  return {
    links: rows.slice(0, PAGE_SIZE).map((row) => ({
      ...row,
      createdAt: new Date(row.createdAt),
      expiresAt: new Date(row.expiresAt),
    })),
    older: last === undefined ? null : `${new Date(last.at).toISOString()}_${last.id}`,
  };
}

/** Returns the condition that leaves out the pages before the cursor. */
function cursorConditions(at: string, id: string, { filter: { before }, bind }: StaffQuery): string[] {
  const [time = '', linkId = ''] = (before ?? '').split(/_(.*)/s);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time) || Number.isNaN(Date.parse(time))) return [];
  return isId('paymentLink', linkId) ? [`(${at}, ${id}) < (${bind(new Date(time))}, ${bind(linkId)})`] : [];
}

/** Locations to which the list is limited; null for all of the practice. */
function locationsOf({ viewer, filter: { locationId } }: StaffQuery): readonly string[] | null {
  return locationId === null ? viewer.locationIds : atLocation(viewer, locationId).locationIds;
}

/** Returns the condition of the visible locations on `p` or `l`. */
function locationConditions(name: string, query: StaffQuery): string[] {
  const locations = locationsOf(query);
  return locations === null ? [] : [`${name}.location_id = any (${query.bind(locations)})`];
}

/** Returns the conditions on `l` that candidates of a search have yet to meet, and on `t` if there is a status. */
function searchConditions(query: StaffQuery, now: string): string[] {
  const { filter, bind } = query;
  return [
    ...locationConditions('l', query),
    ...createdConditions('l', query),
    ...(filter.status === null ? [] : [`${staffStatusSql(now)} = ${bind(filter.status)}`]),
    ...(filter.expiresBefore === null ? [] : [`l.expires_at < ${bind(filter.expiresBefore)}`]),
  ];
}

/** Returns a query for `at` and `id` of the next links, by indexes in the list's order. */
function candidateQuery(query: StaffQuery): string {
  // PostgreSQL refuses a value that its statement does not use.
  const bindNow = () => query.bind(query.scope.clock.now());
  switch (query.filter.status) {
    case null:
      return selectByStatus(query, ['active', 'paid', 'expired', 'cancelled']);
    case 'waiting':
      return query.filter.expiresBefore === null
        ? selectByStatus(query, ['active'], `and p.expires_at > ${bindNow()} and p.open_attempt_id is null`)
        : selectExpiring(query, query.filter.expiresBefore);
    case 'paid':
      return selectByStatus(
        query,
        ['paid'],
        `and not exists (
           select from transactions t where t.payment_link_id = p.id and t.status in ('pending', 'failed'))`,
      );
    case 'cancelled':
      return selectByStatus(query, ['cancelled']);
    case 'expired':
      // Plan hint FENCE: the few overdue links are found first, by their own index.
      return `${selectByStatus(query, ['expired'])} union all select * from (
        select p.created_at as at, p.id from payment_links p
        where ${ownConditions(query)} and ${overdueSql(bindNow()).join(' and ')} ${andAll(...locationConditions('p', query), ...createdConditions('p', query))}
        offset 0) as overdue`;
    case 'returned':
      return selectUnsettled(query, 'failed');
    case 'under_way':
      return `${selectUnsettled(query, 'pending')} union all (
        select a.created_at as at, a.payment_link_id as id from payment_attempts a
          join payment_links p on p.id = a.payment_link_id and p.open_attempt_id = a.id
        where a.practice_id = ${query.bind(query.viewer.practiceId)} and a.status in ('open', 'requires_action')
          and ${ownConditions(query)} ${andAll(...locationConditions('p', query), ...createdConditions('p', query), ...cursorConditions('a.created_at', 'a.payment_link_id', query))}
        order by a.created_at desc, a.payment_link_id desc limit ${query.limit})`;
    default:
      query.filter.status satisfies never;
      throw new Error('a list has an unknown status');
  }
}

/** Reads the next links of each status, and of each location if the list is limited to some. */
function selectByStatus(query: StaffQuery, statuses: readonly LinkStatus[], condition = ''): string {
  const { bind } = query;
  const locations = locationsOf(query);
  const of = locations === null ? '' : `cross join unnest(${bind(locations)}::text[]) as o (location_id)`;
  return `select next.at, next.id from unnest(${bind(statuses)}::text[]) as s (status) ${of} cross join lateral (
    select p.created_at as at, p.id from payment_links p
    where ${ownConditions(query)} and p.status = s.status ${locations === null ? '' : 'and p.location_id = o.location_id'}
      ${condition} ${andAll(...createdConditions('p', query), ...cursorConditions('p.created_at', 'p.id', query))}
    order by p.created_at desc, p.id desc limit ${query.limit}) as next`;
}

/** Reads the waiting links that expire soon. The order of the list ends with them, so their own index finds them (plan hint FENCE). */
function selectExpiring(query: StaffQuery, before: Date): string {
  const { scope, bind } = query;
  return `select * from (
    select p.created_at as at, p.id from payment_links p
    where ${ownConditions(query)} and p.status = 'active' and p.expires_at > ${bind(scope.clock.now())}
      and p.expires_at < ${bind(before)} and p.open_attempt_id is null
      ${andAll(...locationConditions('p', query), ...createdConditions('p', query))} offset 0) as expiring`;
}

/** Reads the next links whose bank debit is pending or was returned, the latest payment first. */
function selectUnsettled(query: StaffQuery, status: 'pending' | 'failed'): string {
  return `(select t.created_at as at, t.payment_link_id as id from transactions t
      join payment_links p on p.id = t.payment_link_id
    where t.practice_id = ${query.bind(query.viewer.practiceId)} and t.status = '${status}'
      and ${ownConditions(query)} ${andAll(...locationConditions('p', query), ...createdConditions('p', query), ...cursorConditions('t.created_at', 't.payment_link_id', query))}
    order by t.created_at desc, t.payment_link_id desc limit ${query.limit})`;
}
