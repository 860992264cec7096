import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { selectList, type Texts, timeOf } from '../../database/query/columns.ts';
import { type SqlValue, sql, type ValueOf } from '../../database/query/sql.ts';
import { LINK_FIELDS, type PropertyOf, STAFF_FIELDS } from '../link/fields.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { Viewer } from '../model/staff-status.ts';
import { ACT_REASONS, type ActReason, listedSince, toActOnSql } from './list-to-act-on.ts';

/*
 * Payments as the people of a practice see them, newest first. A payment is a link that was paid, with its latest
 * transaction. A page costs the same however long the history is.
 */

/** States of a payment in one word. `STATE` says which one applies. */
export const PAYMENT_STATES = [
  ...(['paid', 'processing', 'partly_refunded', 'refunded'] as const),
  ...(['disputed', 'dispute_lost', 'returned'] as const),
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/**
 * Filters to which figures lead. `received` are settled payments, whatever happened later. The next two are by the days on which
 * money was given back, not by those of the payments. The others are the reasons to act on a payment.
 */
export const FIGURE_FILTERS = ['received', 'refunded_then', 'taken_back_then', ...ACT_REASONS] as const;

export type FigureFilter = (typeof FIGURE_FILTERS)[number];

export type StateFilter = PaymentState | FigureFilter;

export const PAYMENT_METHODS = ['card', 'us_bank_account'] as const;

/** Filter of the list. Null means all. */
export interface PaymentFilter {
  state: StateFilter | null;
  method: (typeof PAYMENT_METHODS)[number] | null;
  /** Paid at or after. */
  from: Date | null;
  /** Paid before. */
  before: Date | null;
  /** Ids of the links that a search found. Absent: all. */
  found?: readonly string[] | undefined;
}

/** Place in the list: only payments after it are wanted. */
export interface PaymentCursor {
  paidAt: Date;
  id: string;
}

/** Fields of the link that lists and exports show as they are. The patient's contact details are in neither. */
export const LISTED_FIELDS = STAFF_FIELDS.filter(
  (name) => name !== 'amount' && name !== 'locationId' && name !== 'expiresAt' && name !== 'phone' && name !== 'email',
);

/** A payment in the list and in the export. */
export interface ListedPayment extends Pick<PaymentLink, PropertyOf<(typeof LISTED_FIELDS)[number]>> {
  /** Id of the link. */
  id: string;
  state: PaymentState;
  paidAt: Date;
  amountCents: number;
  /** Null until the processor reports its fee. */
  feeCents: number | null;
  netCents: number | null;
  /** Amount of refunds that did not fail, with reversals. */
  refundedCents: number;
  paymentMethodType: string;
  paymentMethodBrand: string | null;
  paymentMethodLast4: string | null;
  paymentNumber: string | null;
  processedAt: Date | null;
  locationId: string;
  locationName: string;
}

export interface PaymentPage {
  payments: ListedPayment[];
  /** Place of the next page; null if there is none. */
  next: PaymentCursor | null;
}

/**
 * Rows that one page examines at most. Filters that few payments fit would otherwise read the whole history. A page may
 * so have fewer payments than its size, and a next one all the same.
 */
const MAX_EXAMINED = 5_000;

/** A table that names payments of a rare state. One of its indexes has the order of the list. */
interface RareState {
  table: string;
  /** Column with the time of the payment. */
  paidAt: 'created_at' | 'paid_at';
  /** Column with the time to which the days of the filter belong; that of the payment without it. */
  at?: 'created_at' | 'closed_at';
  /** True if the table has the mode. */
  hasMode: boolean;
  condition?: string;
}

/** Debits of a status. A transaction is made in the moment of the payment. */
const debits = (status: 'pending' | 'failed'): RareState => ({
  ...{ table: 'transactions', paidAt: 'created_at', hasMode: false, condition: `status = '${status}'` },
});

const PAID_BEFORE = { paidAt: 'paid_at', hasMode: true } as const;

/** Refunds that did not fail, with or without a bank reversal. */
const refunds = (reversal: 'null' | 'not null'): RareState => ({
  ...{ table: 'refunds', ...PAID_BEFORE, at: 'created_at' },
  condition: `status <> 'failed' and bank_reversal_id is ${reversal}`,
});

/** The tables of each filter that few payments fit. Each is read in the order of the list, so that a page reads few rows. */
const RARE: Partial<Record<StateFilter, readonly RareState[]>> = {
  processing: [debits('pending')],
  partly_refunded: [{ table: 'refunds', ...PAID_BEFORE }],
  refunded: [{ table: 'refunds', ...PAID_BEFORE }],
  disputed: [{ table: 'disputes', ...PAID_BEFORE, condition: `status = 'open'` }],
  dispute_lost: [{ table: 'disputes', ...PAID_BEFORE, condition: `status = 'lost'` }],
  returned: [debits('failed'), { table: 'bank_reversals', ...PAID_BEFORE }],
  refunded_then: [refunds('null')],
  taken_back_then: [
    refunds('not null'),
    { table: 'disputes', ...PAID_BEFORE, at: 'closed_at', condition: `status = 'lost'` },
  ],
};

/** Joins the payment `t` of the link `l`, the sums `r` of its refunds, its disputes `d`, and its state: the first one that applies. */
export const PAYMENT_OF_LINK = `
  join lateral (select * from transactions t where t.payment_link_id = l.id
    order by t.created_at desc, t.id desc limit 1) t on true
  cross join lateral (select coalesce(sum(amount_cents) filter (where status <> 'failed'), 0)::integer as cents,
    coalesce(bool_or(bank_reversal_id is not null), false) as reversed
    from refunds where transaction_id = t.id) r
  cross join lateral (select bool_or(status = 'open') as open, bool_or(status = 'lost') as lost
    from disputes where payment_link_id = l.id and practice_id = l.practice_id) d
  cross join lateral (select case
    when d.open then 'disputed'
    when d.lost then 'dispute_lost'
    when t.status = 'failed' or r.reversed then 'returned'
    when t.status = 'pending' then 'processing'
    when t.status = 'refunded' then 'refunded'
    when r.cents > 0 then 'partly_refunded'
    else 'paid' end as state) s`;

const COLUMNS = `l.id, s.state, l.paid_at as "paidAt", t.amount_cents as "amountCents", t.fee_cents as "feeCents",
  t.net_cents as "netCents", r.cents as "refundedCents", t.payment_method_type as "paymentMethodType",
  t.payment_method_brand as "paymentMethodBrand", t.payment_method_last4 as "paymentMethodLast4",
  t.payment_number as "paymentNumber", t.processed_at as "processedAt", o.id as "locationId", o.name as "locationName",
  ${selectList(
    PaymentLink,
    'l',
    LISTED_FIELDS.map((name) => LINK_FIELDS[name].property),
  )}`;

/** Returns one page of the payments that the viewer sees. */
export async function listPayments(
  scope: Scope,
  viewer: Viewer,
  filter: PaymentFilter,
  cursor: PaymentCursor | null,
  size: number,
): Promise<PaymentPage> {
  const values: SqlValue[] = [];
  const value: ValueOf = (of) => `$${values.push(of)}`;
  const candidates = candidatesOf(scope, viewer, filter, cursor, value);
  const where = [
    // Candidates of a rare state are of all locations, and those of debits of both modes.
    ...(isRare(filter) ? [...visible(viewer, value), ...searched(filter, value)] : []),
    ...statesOf(filter, value),
    ...(filter.method === null ? [] : [`t.payment_method_type = ${value(filter.method)}`]),
  ];
  const rows = await sql<Texts<ListedPayment>>(
    scope.em,
    // Plan hint FENCE: payments are read one by one in the order of the candidates, until the page is full. Joins would read all.
    `select p.* from (${candidates}) c cross join lateral (
       select ${COLUMNS} from payment_links l join locations o on o.id = l.location_id ${PAYMENT_OF_LINK}
       where ${['l.id = c.id', ...where].join(' and ')} offset 0) as p
     order by c.paid_at desc, c.id desc limit ${value(size + 1)}`,
    values,
  );
  const payments = rows.slice(0, size).map(paymentOf);
  const last = payments.at(-1);
  if (rows.length > size) return { payments, next: last === undefined ? null : { paidAt: last.paidAt, id: last.id } };
  return { payments, next: where.length === 0 ? null : await lastExamined(scope, viewer, filter, cursor) };
}

function isRare({ state }: PaymentFilter): boolean {
  return state !== null && (RARE[state] !== undefined || isActReason(state));
}

function isActReason(state: StateFilter | null): state is ActReason {
  return ACT_REASONS.some((reason) => reason === state);
}

/** Returns the condition on candidates that are of several states. */
function statesOf({ state }: PaymentFilter, value: ValueOf): string[] {
  if (state === 'received') return [`t.status in ('succeeded', 'refunded')`];
  return PAYMENT_STATES.some((name) => name === state) ? [`s.state = ${value(state)}`] : [];
}

/** Returns the conditions of the links that the viewer sees. */
function visible({ practiceId, test, locationIds }: Viewer, value: ValueOf): string[] {
  return [
    `l.practice_id = ${value(practiceId)} and l.test = ${value(test)}`,
    ...(locationIds === null ? [] : [`l.location_id = any(${value(locationIds)}::text[])`]),
  ];
}

/** Returns the condition of the links that a search found. */
function searched({ found }: PaymentFilter, value: ValueOf): string[] {
  return found === undefined ? [] : [`l.id = any(${value(found)})`];
}

/** Returns the next rows in the order of the list, at most `MAX_EXAMINED`. */
function candidatesOf(
  scope: Scope,
  { practiceId, test, locationIds }: Viewer,
  filter: PaymentFilter,
  cursor: PaymentCursor | null,
  value: ValueOf,
): string {
  const { state, from, before } = filter;
  const after = (paidAt: string, id: string, at = paidAt) => [
    ...(from === null ? [] : [`${at} >= ${value(from)}`]),
    ...(before === null ? [] : [`${at} < ${value(before)}`]),
    ...(cursor === null ? [] : [`(${paidAt}, ${id}) < (${value(cursor.paidAt)}, ${value(cursor.id)})`]),
  ];
  const order = `order by paid_at desc, id desc limit ${MAX_EXAMINED}`;
  if (isActReason(state)) {
    const toActOn = toActOnSql(value(practiceId), value(listedSince(scope)));
    const where = [`a.reason = ${value(state)} and l.paid_at is not null`, ...after('l.paid_at', 'l.id')];
    return `select l.id, l.paid_at from ${toActOn} a join payment_links l on l.id = a.payment_link_id
      where ${where.join(' and ')} group by l.id ${order}`;
  }
  const rare = state === null ? undefined : RARE[state];
  if (rare !== undefined) {
    // Plan hint LIMITED_PIECES: each index has the order of the list. A payment may have several refunds, so it is grouped
    // before the limit counts it.
    const pieces = rare.map(({ table, paidAt, at, hasMode, condition }) => {
      const where = [
        `practice_id = ${value(practiceId)}`,
        ...(hasMode ? [`test = ${value(test)}`] : []),
        ...(condition === undefined ? [] : [condition]),
        ...after(paidAt, 'payment_link_id', at),
      ];
      return `(select payment_link_id as id, ${paidAt} as paid_at from ${table} where ${where.join(' and ')}
        group by ${paidAt}, payment_link_id order by ${paidAt} desc, payment_link_id desc limit ${MAX_EXAMINED})`;
    });
    return `select id, paid_at from (${pieces.join(' union all ')}) as pieces group by paid_at, id ${order}`;
  }
  const where = [
    `l.practice_id = ${value(practiceId)} and l.test = ${value(test)} and l.paid_at is not null`,
    ...searched(filter, value),
    ...after('l.paid_at', 'l.id'),
  ];
  const piece = (...conditions: string[]) =>
    `(select l.id, l.paid_at from payment_links l where ${[...where, ...conditions].join(' and ')} ${order})`;
  if (locationIds === null) return piece();
  // Plan hint LIMITED_PIECES: the index of each location has the order of the list.
  const pieces = locationIds.map((id) => piece(`l.location_id = ${value(id)}`));
  if (pieces.length === 0) return piece('false');
  return `select id, paid_at from (${pieces.join(' union all ')}) as pieces ${order}`;
}

/** Returns the place of the last row that a page examined; null if it examined all. */
async function lastExamined(
  scope: Scope,
  viewer: Viewer,
  filter: PaymentFilter,
  cursor: PaymentCursor | null,
): Promise<PaymentCursor | null> {
  const values: SqlValue[] = [];
  const candidates = candidatesOf(scope, viewer, filter, cursor, (of) => `$${values.push(of)}`);
  const [row] = await sql<{ id: string; paid_at: string }>(
    scope.em,
    `select id, paid_at from (${candidates}) c order by paid_at desc, id desc offset ${MAX_EXAMINED - 1} limit 1`,
    values,
  );
  return row === undefined ? null : { paidAt: new Date(row.paid_at), id: row.id };
}

function paymentOf(row: Texts<ListedPayment>): ListedPayment {
  return { ...row, paidAt: new Date(row.paidAt), processedAt: timeOf(row.processedAt) };
}

/** Writes a cursor for an address. */
export function cursorText({ paidAt, id }: PaymentCursor): string {
  return `${paidAt.getTime()}-${id}`;
}

/** Reads a cursor of an address. Returns null for any other text: the list then begins at its first page. */
export function cursorNamed(text: string): PaymentCursor | null {
  const [, ms = '', id = ''] = /^(\d{1,14})-(.+)$/.exec(text) ?? [];
  return isId('paymentLink', id) ? { paidAt: new Date(Number(ms)), id } : null;
}
