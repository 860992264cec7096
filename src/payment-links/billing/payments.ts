import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { parseTime, selectList, type Texts } from '../../platform/database/query/columns.ts';
import { type Bind, createBindings, sql } from '../../platform/database/query/sql.ts';
import { rowsAtLocationsSql } from '../../platform/database/query/visible-rows.ts';
import { sumRefundable } from '../decide/refundable.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { ownCondition, type Viewer } from '../model/staff-status.ts';
import { latestTransactionSql, type Transaction } from '../model/transaction.entity.ts';
import { findStaffLink, type LinkRecords, readRecords, type StaffLink } from '../office/link.ts';
import {
  type Cursor,
  nextLinksSql,
  type Page,
  type Piece,
  rangeConditions,
  splitByLocation,
  type TimeRange,
  takePage,
} from '../office/page.ts';
import { LINK_FIELDS, type PropertyOf, STAFF_FIELDS } from '../state/fields.ts';

/* Payments as the people of a practice see them, newest first. A payment is a link that was paid, with its latest transaction. */

/** States of a payment in one word. `PAYMENT_OF_LINK` says which one applies. */
export const PAYMENT_STATES = [
  'paid',
  'processing',
  'partly_refunded',
  'refunded',
  'disputed',
  'dispute_lost',
  'returned',
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Filters by state. `received`, to which figures lead, are settled payments, whatever happened later. */
export const STATE_FILTERS = [...PAYMENT_STATES, 'received'] as const;

export type StateFilter = (typeof STATE_FILTERS)[number];

export const PAYMENT_METHODS = ['card', 'us_bank_account'] as const;

/** Filter of the list by the time of the payment, and more. Null means all. */
export interface PaymentFilter extends TimeRange {
  state: StateFilter | null;
  method: (typeof PAYMENT_METHODS)[number] | null;
  /** Ids of the links that a search found. Absent: all. */
  linkIds?: readonly string[] | undefined;
}

/** Fields of the link that lists and exports show as they are. The patient's contact details are in neither. */
export const LISTED_FIELDS = STAFF_FIELDS.filter(
  (name) => name !== 'amount' && name !== 'locationId' && name !== 'expiresAt' && name !== 'phone' && name !== 'email',
);

/** A payment in the list and in the export. */
export interface ListedPayment extends Pick<PaymentLink, PropertyOf<(typeof LISTED_FIELDS)[number]>> {
  id: string;
  state: PaymentState;
  paidAt: Date;
  amountCents: number;
  /** Null until the processor reports its fee. A returned debit costs none. */
  feeCents: number | null;
  /** The sum of the payment's movements: what it received, without the fee as far as it is known, refunds, and amounts taken back. */
  netCents: number;
  /** Amount of refunds that did not fail. */
  refundedCents: number;
  /** Amount that the patient's bank took back: bank reversals and lost disputes. */
  takenBackCents: number;
  paymentMethodType: string;
  paymentMethodBrand: string | null;
  paymentMethodLast4: string | null;
  paymentNumber: string | null;
  processedAt: Date | null;
  locationId: string;
  locationName: string;
}

/** Joins the payment `t` of the link `l`, its refunds `r`, reversals `b`, disputes `d`, money `m`, and state `s`: the first one that applies. */
export const PAYMENT_OF_LINK = `
  join lateral (${latestTransactionSql('t.*')}) t on true
  cross join lateral (select coalesce(sum(amount_cents), 0)::integer as cents
    from refunds where transaction_id = t.id and status <> 'failed' and bank_reversal_id is null) r
  cross join lateral (select coalesce(sum(amount_cents), 0)::integer as cents
    from bank_reversals where payment_link_id = l.id and practice_id = l.practice_id) b
  cross join lateral (select bool_or(status = 'open') as open, bool_or(status = 'lost') as lost,
    coalesce(sum(amount_cents) filter (where status = 'lost'), 0)::integer as cents
    from disputes where payment_link_id = l.id and practice_id = l.practice_id) d
  cross join lateral (select case when t.status in ('succeeded', 'refunded') then t.amount_cents else 0 end as received,
    case t.status when 'pending' then null when 'failed' then 0 else t.fee_cents end as fee) m
  cross join lateral (select case
    when d.open then 'disputed'
    when d.lost then 'dispute_lost'
    when t.status = 'failed' or b.cents > 0 then 'returned'
    when t.status = 'pending' then 'processing'
    when t.status = 'refunded' then 'refunded'
    when r.cents > 0 then 'partly_refunded'
    else 'paid' end as state) s`;

export const PAYMENT_COLUMNS = `l.id, s.state, l.paid_at as "paidAt", t.amount_cents as "amountCents", m.fee as "feeCents",
  m.received - coalesce(m.fee, 0) - r.cents - b.cents - d.cents as "netCents", r.cents as "refundedCents",
  b.cents + d.cents as "takenBackCents", t.payment_method_type as "paymentMethodType",
  t.payment_method_brand as "paymentMethodBrand", t.payment_method_last4 as "paymentMethodLast4",
  t.payment_number as "paymentNumber", t.processed_at as "processedAt", o.id as "locationId", o.name as "locationName",
  ${selectList(
    PaymentLink,
    'l',
    LISTED_FIELDS.map((name) => LINK_FIELDS[name].property),
  )}`;

/** Returns one page of the payments that the viewer sees. If few payments fit the filter, a page that is not full may have a next one, too. */
export async function listPayments(
  scope: Scope,
  viewer: Viewer,
  filter: PaymentFilter,
  cursor: Cursor | null,
  size: number,
): Promise<Page<ListedPayment>> {
  const { values, bind } = createBindings();
  const candidates = candidateQuery(viewer, filter, cursor, bind);
  const candidateValues = [...values];
  const { practiceId, test, locationIds } = viewer;
  const where = [
    'l.id = c.id',
    // Candidates of a rare state are of all locations, and candidates by method of both modes.
    rowsAtLocationsSql('l', bind(practiceId), bind(test), bind(locationIds)),
    ...idConditions(filter, bind),
    ...stateConditions(filter, bind),
    ...(filter.method === null ? [] : [`t.payment_method_type = ${bind(filter.method)}`]),
  ];
  const rows = await sql<Texts<ListedPayment>>(
    scope.em,
    // Plan hint FENCE: payments are read one by one in the order of the candidates, until the page is full. Joins would read all.
    `select p.* from (${candidates}) c cross join lateral (
       select ${PAYMENT_COLUMNS} from payment_links l join locations o on o.id = l.location_id ${PAYMENT_OF_LINK}
       where ${where.join(' and ')} offset 0) as p
     order by c.at desc, c.id desc limit ${bind(size + 1)}`,
    values,
  );
  const page = takePage(rows.map(parsePayment), size, ({ paidAt }) => paidAt.getTime());
  if (page.next !== null) return page;
  // The next page begins after the last row that this one examined.
  const [row] = await sql<{ id: string; at: string }>(
    scope.em,
    `select id, at from (${candidates}) c order by at desc, id desc offset ${MAX_EXAMINED_ROWS - 1} limit 1`,
    candidateValues,
  );
  return { ...page, next: row === undefined ? null : { key: Date.parse(row.at), id: row.id } };
}

/** Returns the condition on candidates that are of several states. */
function stateConditions({ state }: PaymentFilter, bind: Bind): string[] {
  if (state === 'received') return [`t.status in ('succeeded', 'refunded')`];
  return state === null ? [] : [`s.state = ${bind(state)}`];
}

export function parsePayment(row: Texts<ListedPayment>): ListedPayment {
  return { ...row, paidAt: new Date(row.paidAt), processedAt: parseTime(row.processedAt) };
}

/** Rows that one page examines at most. Filters that few payments fit would otherwise read the whole history. */
const MAX_EXAMINED_ROWS = 5_000;

/** A table that names payments of a rare state. One of its indexes has the order of the list. */
interface RareState {
  table: 'transactions' | 'refunds' | 'disputes' | 'bank_reversals';
  condition: string;
}

/** The tables of each filter that few payments fit. Each is read in the order of the list, so that a page reads few rows. */
const RARE_STATES: Partial<Record<StateFilter, readonly RareState[]>> = {
  processing: [{ table: 'transactions', condition: `status = 'pending'` }],
  partly_refunded: [{ table: 'refunds', condition: 'true' }],
  refunded: [{ table: 'refunds', condition: 'true' }],
  disputed: [{ table: 'disputes', condition: `status = 'open'` }],
  dispute_lost: [{ table: 'disputes', condition: `status = 'lost'` }],
  returned: [
    { table: 'transactions', condition: `status = 'failed'` },
    { table: 'bank_reversals', condition: 'true' },
  ],
};

/** Returns the tables that name hardly more than the payments of the filter; undefined if these are read by their links. */
function findRareStates(
  { state, method, linkIds }: PaymentFilter,
  locationIds: Viewer['locationIds'],
): readonly RareState[] | undefined {
  if (state !== null && RARE_STATES[state] !== undefined) return RARE_STATES[state];
  // A transaction names no location. The links of a location or a search are fewer than all payments by the method.
  if (method === null || linkIds !== undefined || locationIds !== null) return;
  return [{ table: 'transactions', condition: `payment_method_type = '${method}'` }];
}

/** Returns the condition of the links that a search found. */
function idConditions({ linkIds }: PaymentFilter, bind: Bind): string[] {
  return linkIds === undefined ? [] : [`l.id = any(${bind(linkIds)})`];
}

/** Returns a query for the next rows in the order of the list, at most `MAX_EXAMINED_ROWS`. */
function candidateQuery(viewer: Viewer, filter: PaymentFilter, cursor: Cursor | null, bind: Bind): string {
  const { practiceId, test, locationIds } = viewer;
  const listPieces = (): Piece[] => {
    const where = [
      ...[ownCondition(viewer, bind), 'l.paid_at is not null'],
      ...[...idConditions(filter, bind), ...rangeConditions('l.paid_at', filter, bind)],
    ];
    const link = { from: 'payment_links l', at: 'l.paid_at', id: 'l.id' };
    return splitByLocation(viewer, bind).map((location) => ({ ...link, where: [...where, location] }));
  };
  const pieces = findRareStates(filter, locationIds)?.map(({ table, condition }): Piece => {
    // A transaction is made in the moment of the payment, and has no mode.
    const isTransaction = table === 'transactions';
    const at = isTransaction ? 'created_at' : 'paid_at';
    const ownConditions = [`practice_id = ${bind(practiceId)}`, ...(isTransaction ? [] : [`test = ${bind(test)}`])];
    return {
      from: table,
      at,
      id: 'payment_link_id',
      where: [...ownConditions, condition, ...rangeConditions(at, filter, bind)],
      isGrouped: true,
    };
  });
  return nextLinksSql(pieces ?? listPieces(), cursor, MAX_EXAMINED_ROWS, bind);
}

/** A payment with everything that is on record about it. */
export interface PaymentDetails extends StaffLink, LinkRecords, ListedPayment {
  transaction: Transaction;
  /** The attempt that paid; null for a simulated payment. */
  attempt: PaymentAttempt | null;
  /** Amount that can still be refunded; zero unless the payment has settled. */
  refundableCents: number;
}

/** Returns the payment of a link. @throws ApiError `not_found` for a link that is not paid, or that the viewer does not see */
export async function findPayment(scope: Scope, viewer: Viewer, linkId: string): Promise<PaymentDetails> {
  const staffLink = await findStaffLink(scope, viewer, linkId);
  if (staffLink === null || staffLink.link.paidAt === null) throw new ApiError('not_found');
  const { link, transaction } = staffLink;
  const filter = { state: null, method: null, from: null, before: null, linkIds: [linkId] };
  const [row] = (await listPayments(scope, viewer, filter, null, 1)).rows;
  if (transaction === null || row === undefined) throw new Error(`the paid link ${link.id} has no transaction`);
  const records = await readRecords(scope, link);
  const attempt = records.attempts.find(({ id }) => id === transaction.attemptId) ?? null;
  return {
    ...row,
    ...staffLink,
    ...records,
    transaction,
    attempt,
    refundableCents: sumRefundable({ transaction, ...records }),
  };
}
