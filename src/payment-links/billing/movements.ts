import { fresh, type Scope } from '../../platform/base/scope.ts';
import {
  addDays,
  type DayRange,
  daysBetween,
  listDays,
  monthRange,
  startOfDay,
} from '../../platform/base/time/zoned-time.ts';
import type { Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { SEEN_LINK, type Viewer, viewerValues } from '../model/staff-status.ts';
import { type ListedPayment, PAYMENT_COLUMNS, PAYMENT_OF_LINK, type PaymentState, parsePayment } from './payments.ts';

/*
 * Movements: what came in and went out, each on its own day. Totals, files and the overview read this one statement, so their sums
 * agree. A payment moves money once it has settled, and counts on the day when the patient paid. A debit that was returned before it
 * settled moves none. Only a lost dispute takes money, when it is closed: an open one may be won, and what is refundable has the same rule.
 */

export type MovementKind = 'payment' | 'fee' | 'refund' | 'bank_reversal' | 'lost_dispute';

/** Returns the movements of a table whose rows take money away, on the time in the column `at`. */
const selectTakenAway = (kind: MovementKind, table: string, at: string, condition = 'true') => `
  select '${kind}' as kind, l.id, l.transaction_id, l.payment_link_id, l.${at} as at, l.location_id, l.payment_method_type,
    -l.amount_cents as amount_cents
  from ${table} l where ${SEEN_LINK} and l.${at} >= $4 and l.${at} < $5 and ${condition}`;

/** The parts of the statement, from `$4` on and before `$5`, with `$1` to `$3` of `SEEN_LINK`. A fee is null until the processor reports it. */
const PARTS = [
  `select m.kind, t.id, t.id as transaction_id, l.id as payment_link_id, l.paid_at as at, l.location_id, t.payment_method_type,
    m.amount_cents
  from payment_links l join transactions t on t.payment_link_id = l.id and t.status in ('succeeded', 'refunded')
    cross join lateral (values ('payment', t.amount_cents), ('fee', -t.fee_cents)) as m (kind, amount_cents)
  where ${SEEN_LINK} and l.paid_at >= $4 and l.paid_at < $5 and m.amount_cents is distinct from 0`,
  selectTakenAway('refund', 'refunds', 'created_at', `status <> 'failed' and bank_reversal_id is null`),
  selectTakenAway('bank_reversal', 'bank_reversals', 'created_at'),
  selectTakenAway('lost_dispute', 'disputes', 'closed_at', `status = 'lost'`),
];

/** Totals in cents. All but `netCents` are zero or more. */
export interface Totals {
  /** Payments that have settled. */
  payments: number;
  /** Their amounts, whatever was refunded later. */
  receivedCents: number;
  /** Their fees, as far as the processor has reported them. */
  feeCents: number;
  refundedCents: number;
  /** Settled debits that banks took back, and lost disputes. */
  takenBackCents: number;
  netCents: number;
  /** Payments whose fee is not known yet. */
  unknownFees: number;
}

/** Days of a time zone, both included, and the method of the payments; null for all. */
export interface MovementFilter extends DayRange {
  timeZone: string;
  method: string | null;
}

export interface DayTotals {
  day: string;
  totals: Totals;
}

/** Totals of one day, location and method. */
export interface TotalsRow extends Totals {
  day: string;
  locationId: string;
  paymentMethodType: string;
}

/** Returns a sum as a number, which has room for ninety trillion dollars. A bigint would arrive as text. */
const sumSql = (value: string, ...kinds: MovementKind[]) =>
  `coalesce(sum(${value}) filter (where kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})), 0)::double precision`;

/** One row per day, location and method. `$6` has the days and `$7` their starts, so the database needs no time zone. */
const TOTALS = `
  select ($6::text[])[width_bucket(at, $7::timestamptz[])] as day, location_id as "locationId",
    payment_method_type as "paymentMethodType", ${sumSql('1', 'payment')} as payments,
    ${sumSql('amount_cents', 'payment')} as "receivedCents", ${sumSql('-amount_cents', 'fee')} as "feeCents",
    ${sumSql('-amount_cents', 'refund')} as "refundedCents",
    ${sumSql('-amount_cents', 'bank_reversal', 'lost_dispute')} as "takenBackCents",
    coalesce(sum(amount_cents), 0)::double precision as "netCents",
    (count(*) filter (where amount_cents is null))::double precision as "unknownFees"
  from (${PARTS.join(' union all ')}) as movements where $8::text is null or payment_method_type = $8 group by 1, 2, 3`;

/** Returns the totals of each day, location and method that has some. */
export async function readTotals(scope: Scope, viewer: Viewer, filter: MovementFilter): Promise<TotalsRow[]> {
  const days = listDays(filter);
  const starts = days.map((day) => startOfDay(day, filter.timeZone).toISOString());
  const values = [...listRangeValues(viewer, filter), days, starts, filter.method];
  // A month of 100,000 payments takes long. In the places of its practice, the statement leaves connections to others.
  return withPlace(scope, ({ em }) => sql<TotalsRow>(em, TOTALS, values));
}

/** Returns the values of `$1` to `$5`. */
function listRangeValues(viewer: Viewer, { from, to, timeZone }: MovementFilter) {
  return [...viewerValues(viewer), startOfDay(from, timeZone), startOfDay(addDays(to, 1), timeZone)] as const;
}

/** Returns the totals of each day of the range. */
export function totalsByDay(rows: readonly TotalsRow[], range: DayRange): DayTotals[] {
  const rowsByDay = Map.groupBy(rows, ({ day }) => day);
  return listDays(range).map((day) => ({ day, totals: addTotals(rowsByDay.get(day) ?? []) }));
}

/** Returns what came in on the days of a range. */
export function sumReceived(days: readonly DayTotals[], { from, to }: DayRange): number {
  return addTotals(days.filter(({ day }) => from <= day && day <= to).map(({ totals }) => totals)).receivedCents;
}

export function addTotals(rows: readonly Totals[]): Totals {
  const sum = (name: keyof Totals) => rows.reduce((total, row) => total + row[name], 0);
  return {
    payments: sum('payments'),
    receivedCents: sum('receivedCents'),
    feeCents: sum('feeCents'),
    refundedCents: sum('refundedCents'),
    takenBackCents: sum('takenBackCents'),
    netCents: sum('netCents'),
    unknownFees: sum('unknownFees'),
  };
}

/** A movement, and the payment to which it belongs as it is now. */
export interface Movement extends ListedPayment {
  kind: MovementKind;
  /** Id of the transaction, refund, bank reversal or dispute. */
  movementId: string;
  transactionId: string;
  movedAt: Date;
  /** Below zero for what went out; null for a fee that is not known yet. */
  movedCents: number | null;
}

/** Two movements of one moment have this order, too: a payment stands above its fee. */
const ORDER = ['at', 'payment_link_id', 'kind', 'id'];

const orderRows = (rows: string) =>
  `select * from (${rows}) as m order by ${ORDER.map((column) => `${column} desc`).join(', ')} limit $6`;

/** Plan hint LIMITED_PIECES: the payments of a year are read once, in the order of their index. */
const MOVEMENTS = `
  select c.kind, c.id as "movementId", c.transaction_id as "transactionId", c.at as "movedAt", c.amount_cents as "movedCents", p.*
  from (${orderRows(
    PARTS.map(
      (part) =>
        `(${orderRows(`select * from (${part}) as m where ($7::text is null or payment_method_type = $7)
        and ($8::timestamptz is null or (${ORDER.join(', ')}) < ($8, $9, $10, $11))`)})`,
    ).join(' union all '),
  )}) as c cross join lateral (
    select ${PAYMENT_COLUMNS} from payment_links l join locations o on o.id = l.location_id ${PAYMENT_OF_LINK}
    where l.id = c.payment_link_id and l.practice_id = $1 offset 0) as p
  order by ${ORDER.map((column) => `c.${column} desc`).join(', ')}`;

/** Returns the next movements that the viewer sees, newest first; fewer than `size` at the end. */
export async function listMovements(
  { em }: Scope,
  viewer: Viewer,
  filter: MovementFilter,
  place: Movement | null,
  size: number,
): Promise<Movement[]> {
  const [practiceId, test, locationIds, from, before] = listRangeValues(viewer, filter);
  // Times have milliseconds. The end of the range leads the index straight to the place of the last movement.
  const end = place === null ? before : new Date(place.movedAt.getTime() + 1);
  const placeValues =
    place === null ? [null, null, null, null] : [place.movedAt, place.id, place.kind, place.movementId];
  const values = [practiceId, test, locationIds, from, end, size, filter.method, ...placeValues];
  const rows = await sql<Texts<Movement>>(em, MOVEMENTS, values);
  return rows.map((row) => ({ ...row, ...parsePayment(row), movedAt: new Date(row.movedAt) }));
}

const EXPORT_SIZE = 1_000;

/** Returns all movements that the viewer sees, newest first. They are read in pages, so that a slow client keeps no statement open. */
export async function* exportMovements(
  scope: Scope,
  viewer: Viewer,
  filter: MovementFilter & { state: PaymentState | null },
): AsyncGenerator<Movement> {
  let page: Movement[] = [];
  do {
    const place = page.at(-1) ?? null;
    // In the places of their practice, many exports leave connections to others.
    page = await withPlace(fresh(scope), (scope) => listMovements(scope, viewer, filter, place, EXPORT_SIZE));
    yield* page.filter(({ state }) => filter.state === null || state === filter.state);
  } while (page.length === EXPORT_SIZE);
}

export interface PaymentSum {
  count: number;
  cents: number;
}

const PROCESSING = `
  select count(*)::integer as count, coalesce(sum(t.amount_cents), 0)::double precision as cents
  from transactions p join payment_links l on l.id = p.payment_link_id ${PAYMENT_OF_LINK}
  where p.practice_id = $1 and p.status = 'pending' and ${SEEN_LINK} and s.state = 'processing'`;

/** Returns the bank debits that have not settled, of the payments that the viewer sees. It agrees with their list. */
export async function sumProcessing(scope: Scope, viewer: Viewer): Promise<PaymentSum> {
  const [row] = await withPlace(scope, ({ em }) => sql<PaymentSum>(em, PROCESSING, viewerValues(viewer)));
  if (row === undefined) throw new Error('a sum without groups is a row');
  return row;
}

/** Returns today, this week from Monday on and this month, each with as many days of the span before. */
export function comparedSpans(today: string) {
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  const firstDay = monthRange(today).from;
  const formerMonth = monthRange(addDays(firstDay, -1));
  const sameDay = addDays(formerMonth.from, daysBetween(firstDay, today) - 1);
  const yesterday = addDays(today, -1);
  return {
    today: { span: { from: today, to: today }, former: { from: yesterday, to: yesterday } },
    week: { span: { from: monday, to: today }, former: { from: addDays(monday, -7), to: addDays(today, -7) } },
    month: {
      span: { from: firstDay, to: today },
      former: { from: formerMonth.from, to: sameDay < formerMonth.to ? sameDay : formerMonth.to },
    },
  };
}
