import { fresh, type Scope } from '../../platform/base/scope.ts';
import { addDays, dayIn, startOfDay } from '../../platform/base/time/zoned-time.ts';
import { parseTime, type Texts } from '../../platform/database/query/columns.ts';
import { createBindings, sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { OWED_PARTS, type OwedPart, owedSql } from '../model/owed.ts';
import { type Viewer, viewerValues } from '../model/staff-status.ts';
import { latestTransactionSql } from '../model/transaction.entity.ts';
import { type Cursor, type Page, rangeConditions, type TimeRange, takePage } from '../office/page.ts';

/* Owed amounts as the people of a practice see them: their sums, and the list of their patients. */

/** Filters of the list: the parts, and what happened last. A link has a payment that was declined, or was never opened. */
export const OWED_FILTERS = [...OWED_PARTS, 'declined', 'never_opened'] as const;

export type OwedFilter = (typeof OWED_FILTERS)[number];

/** Oldest amounts first, or highest first. */
export const OWED_ORDERS = ['age', 'amount'] as const;

export type OwedOrder = (typeof OWED_ORDERS)[number];

/** Filter by the time from which an amount is owed, and more. */
export interface OwedQuery extends TimeRange {
  /** Null: all. */
  filter: OwedFilter | null;
  /** Ids of links. Null: all. */
  ids: readonly string[] | null;
  order: OwedOrder;
}

const EXPORT_SIZE = 1_000;

export const ALL_OWED: OwedQuery = { filter: null, from: null, before: null, ids: null, order: 'age' };

/** Days after which the second age of an owed amount begins, and the third. */
const AGE_DAYS = [7, 30];

/** Returns the moments that separate the ages, the latest first. They are starts of days. */
export function findAges(now: Date, timeZone: string): Date[] {
  return AGE_DAYS.map((days) => startOfDay(addDays(dayIn(now, timeZone), -days), timeZone));
}

export interface OwedSum {
  part: OwedPart;
  locationId: string;
  /** Index of the age: how many of the days it lies behind. */
  age: number;
  count: number;
  cents: number;
}

export interface OwedRow {
  part: OwedPart;
  id: string;
  firstName: string;
  lastName: string;
  phone: string | null;
  hasEmail: boolean;
  locationId: string;
  amountCents: number;
  /** Time of the creation, or of the return of a debit. */
  since: Date;
  /** Code of the return, or of the latest payment attempt if it was declined; else null. */
  failureReason: string | null;
  /** Time at which the page was last opened; null if nobody has opened it, as far as it is on record. */
  openedAt: Date | null;
  /** Emails to the patient so far: their number, the time of the last one and its language. */
  sentCount: number;
  sentAt: Date | null;
  sentLanguage: string | null;
}

/** Conditions of what happened last to the link `o`. A paid link meets none. */
const LATEST_ACT: Readonly<Partial<Record<OwedFilter, string>>> = {
  declined: `o.part <> 'returned' and o.id in (select a.payment_link_id from (
    select distinct on (payment_link_id) payment_link_id, status from payment_attempts
    where practice_id = $1 and status in ('failed', 'cancelled') order by payment_link_id, created_at desc, id desc
  ) a where a.status = 'failed')`,
  never_opened: `o.part <> 'returned' and not exists (select from page_openings p where p.payment_link_id = o.id)`,
};

/** Writes a query for the owed amounts `o` that the viewer sees, with its values. */
function writeQuery(scope: Scope, viewer: Viewer, query: OwedQuery) {
  const { filter, ids } = query;
  const { values, bind } = createBindings();
  for (const value of viewerValues(viewer)) bind(value);
  const [now, idCondition] = [bind(scope.clock.now()), ids === null ? 'true' : `l.id = any (${bind(ids)})`];
  const conditions = [
    ...rangeConditions('o.since', query, bind),
    ...(filter === null ? [] : [LATEST_ACT[filter] ?? `o.part = ${bind(filter)}`]),
  ];
  return { owed: `(${owedSql(now, idCondition)}) as o where ${['true', ...conditions].join(' and ')}`, values, bind };
}

function parseRow(row: Texts<OwedRow>): OwedRow {
  const { since, openedAt, sentAt } = row;
  return { ...row, since: new Date(since), openedAt: parseTime(openedAt), sentAt: parseTime(sentAt) };
}

/** Returns the sums of the owed amounts that the viewer sees, by part, location and age. @param ages as from `findAges` */
export async function readOwedSums(
  scope: Scope,
  viewer: Viewer,
  query: OwedQuery,
  ages: readonly Date[],
): Promise<OwedSum[]> {
  const { owed, values, bind } = writeQuery(scope, viewer, query);
  const age = ['0', ...ages.map((time) => `(o.since < ${bind(time)})::integer`)].join(' + ');
  const text = `select o.part, o.location_id as "locationId", ${age} as age, count(*)::integer as count,
    sum(o.amount_cents)::double precision as cents from ${owed} group by 1, 2, 3`;
  return withPlace(scope, ({ em }) => sql<OwedSum>(em, text, values));
}

/** Returns a page of the owed amounts that the viewer sees. */
export async function listOwed(
  scope: Scope,
  viewer: Viewer,
  query: OwedQuery,
  cursor: Cursor | null,
  size: number,
): Promise<Page<OwedRow>> {
  const { owed, values, bind } = writeQuery(scope, viewer, query);
  const isByAge = query.order === 'age';
  const key = isByAge ? 'o.since' : '-o.amount_cents';
  const bindKey = (key: number) => (isByAge ? bind(new Date(key)) : `${bind(key)}::bigint`);
  const after = cursor === null ? 'true' : `(${key}, o.id) > (${bindKey(cursor.key)}, ${bind(cursor.id)})`;
  const text = `
    select page.*, l.patient_first_name as "firstName", l.patient_last_name as "lastName", l.patient_phone as phone,
      l.patient_email is not null as "hasEmail",
      case page.part when 'returned' then t.failure_reason else a.failure_reason end as "failureReason",
      p.last_opened_at as "openedAt", m.*
    from (
      select o.part, o.id, o.location_id as "locationId", o.amount_cents as "amountCents", o.since, ${key} as key
      from ${owed} and ${after} order by ${key}, o.id limit ${bind(size + 1)}
    ) as page join payment_links l on l.id = page.id left join page_openings p on p.payment_link_id = l.id
    left join lateral (${latestTransactionSql('t.failure_reason')}) t on page.part = 'returned'
    left join lateral (select failure_reason from payment_attempts where payment_link_id = l.id
      order by created_at desc, id desc limit 1) a on page.part <> 'returned'
    cross join lateral (select count(*)::integer as "sentCount", max(created_at) as "sentAt",
      (array_agg(after ->> 'language' order by id desc))[1] as "sentLanguage"
      from audit_log where practice_id = $1 and target_id = l.id and action = 'link.sent') m
    order by page.key, page.id`;
  const rows = await withPlace(scope, ({ em }) => sql<Texts<OwedRow>>(em, text, values));
  return takePage(rows.map(parseRow), size, ({ since, amountCents }) => (isByAge ? since.getTime() : -amountCents));
}

/** Reads the whole list in pages, of which one is in memory at a time. */
export async function* exportOwed(scope: Scope, viewer: Viewer, query: OwedQuery): AsyncGenerator<OwedRow> {
  let cursor: Cursor | null = null;
  do {
    const page: Page<OwedRow> = await listOwed(fresh(scope), viewer, query, cursor, EXPORT_SIZE);
    yield* page.rows;
    cursor = page.next;
  } while (cursor !== null);
}
