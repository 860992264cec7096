import type { Bind } from '../../platform/database/query/sql.ts';
import { ownCondition, type Viewer } from '../model/staff-status.ts';
import { type Cursor, nextLinksSql, type Piece, splitByLocation } from '../office/page.ts';

/* Filter of a list of payments, and the query that finds the payments that may fit it. */

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

/** Filter of the list. Null means all. */
export interface PaymentFilter {
  state: StateFilter | null;
  method: (typeof PAYMENT_METHODS)[number] | null;
  /** Paid at or after. */
  from: Date | null;
  /** Paid before. */
  before: Date | null;
  /** Ids of the links that a search found. Absent: all. */
  linkIds?: readonly string[] | undefined;
}

/** Rows that one page examines at most. Filters that few payments fit would otherwise read the whole history. */
export const MAX_EXAMINED_ROWS = 5_000;

/** A table that names payments of a rare state. One of its indexes has the order of the list. */
interface RareState {
  table: 'transactions' | 'refunds' | 'disputes' | 'bank_reversals';
  condition: string;
}

/** The tables of each filter that few payments fit. Each is read in the order of the list, so that a page reads few rows. */
const RARE: Partial<Record<StateFilter, readonly RareState[]>> = {
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

/** Returns the tables that name few payments besides those of the filter; undefined if its payments are read by their links. */
function findRareStates(
  { state, method, linkIds }: PaymentFilter,
  locationIds: Viewer['locationIds'],
): readonly RareState[] | undefined {
  if (state !== null && RARE[state] !== undefined) return RARE[state];
  // A transaction names no location. The links of a location, or those of a search, are fewer than all payments by the method.
  if (method === null || linkIds !== undefined || locationIds !== null) return;
  return [{ table: 'transactions', condition: `payment_method_type = '${method}'` }];
}

/** Returns the condition of the links that a search found. */
export function idConditions({ linkIds }: PaymentFilter, bind: Bind): string[] {
  return linkIds === undefined ? [] : [`l.id = any(${bind(linkIds)})`];
}

/** Returns a query for the next rows in the order of the list, at most `MAX_EXAMINED_ROWS`. */
export function candidateQuery(viewer: Viewer, filter: PaymentFilter, cursor: Cursor | null, bind: Bind): string {
  const { practiceId, test, locationIds } = viewer;
  const { from, before } = filter;
  const inRange = (paidAt: string) => [
    ...(from === null ? [] : [`${paidAt} >= ${bind(from)}`]),
    ...(before === null ? [] : [`${paidAt} < ${bind(before)}`]),
  ];
  const listPieces = (): Piece[] => {
    const where = [
      ...[ownCondition(viewer, bind), 'l.paid_at is not null'],
      ...[...idConditions(filter, bind), ...inRange('l.paid_at')],
    ];
    const link = { from: 'payment_links l', at: 'l.paid_at', id: 'l.id' };
    return splitByLocation(viewer, bind).map((location) => ({ ...link, where: [...where, location] }));
  };
  const pieces = findRareStates(filter, locationIds)?.map(({ table, condition }): Piece => {
    // A transaction is made in the moment of the payment, and has no mode.
    const isTransaction = table === 'transactions';
    const at = isTransaction ? 'created_at' : 'paid_at';
    const own = [`practice_id = ${bind(practiceId)}`, ...(isTransaction ? [] : [`test = ${bind(test)}`])];
    return { from: table, at, id: 'payment_link_id', where: [...own, condition, ...inRange(at)], isGrouped: true };
  });
  return nextLinksSql(pieces ?? listPieces(), cursor, MAX_EXAMINED_ROWS, bind);
}
