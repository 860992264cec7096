import { isId } from '../../base/ids.ts';
import { parseDollars } from '../../base/money.ts';
import { parsePhone } from '../../base/phone.ts';
import type { Scope } from '../../base/scope.ts';
import { type Bind, createBindings, sql } from '../../database/query/sql.ts';
import { ownCondition, type Viewer } from '../model/staff-status.ts';

/*
 * The search of the console. A text may be read in several ways: as a name, a number, an amount. Each way is a bounded scan of one
 * index, so a search takes as long in a hundred thousand links as in a thousand.
 */

/** Most candidates of each way to read the search text. It bounds the time of a search. */
const MAX_CANDIDATES = 500;

/** Limits a search to the latest payments by cards and accounts of one number, live and test ones. */
const NEWEST_OF_NUMBER = 'order by created_at desc limit 5000';

/** Longest search text in characters. */
const MAX_LENGTH = 100;

/** Most words of a name at which it is split into first and last name. */
const MAX_SPLITS = 3;

/** Sorts after every text that begins with the same characters. */
const LAST = `chr(1114111)`;

const fold = (text: string) => `translate(lower(${text}), 'ÁÉÍÓÚÜÑáéíóúüñ', 'aeiouunaeiouun') collate "C"`;

const FIRST_NAME = `(${fold('l.patient_first_name')})`;
const LAST_NAME = `(${fold('l.patient_last_name')})`;
const EMAIL = '(lower(l.patient_email) collate "C")';

const PAYMENT_NUMBER = /^\d{9}$/;
const LAST_DIGITS = /^\d{4}$/;
const WHOLE_NUMBER = /^\d+$/;

/** Kinds of search texts. A text of the last kind may be a name, an external id, a reference, an amount or last digits. */
export type SearchKind = 'link' | 'email' | 'payment_number' | 'phone' | 'amount' | 'name_or_reference';

/** Ids of what a search finds, in the viewer's practice and mode. The lists leave out what the viewer does not see. */
export interface Found {
  links: string[];
  /** Links whose payments fit, and links without a payment. */
  payments: string[];
  /** True if a scan ended at its bound, so that something may be missing. */
  isCut: boolean;
}

/** A statement of a search, while it is written. */
interface Query {
  viewer: Viewer;
  bind: Bind;
}

/** Returns the kind of a search text for the audit log, which never has the text; null for an empty one. */
export function classifySearch(search: string): SearchKind | null {
  const text = normalizeSearch(search);
  if (text === '') return null;
  if (isId('paymentLink', text)) return 'link';
  if (text.includes('@')) return 'email';
  const digits = dropSeparators(text);
  if (PAYMENT_NUMBER.test(digits)) return 'payment_number';
  if (parsePhone(text, 'US') !== null) return 'phone';
  return parseCents(text) === null || WHOLE_NUMBER.test(text) ? 'name_or_reference' : 'amount';
}

/** Returns true for a text that names one record: the id of a link, or the number of a receipt. */
export function namesOneRecord(search: string): boolean {
  const kind = classifySearch(search);
  return kind === 'link' || kind === 'payment_number';
}

/** Finds links and payments by a text; null for an empty one. */
export async function findByText(scope: Scope, viewer: Viewer, search: string): Promise<Found | null> {
  const text = normalizeSearch(search);
  if (text === '') return null;
  const { values, bind } = createBindings();
  const query: Query = { viewer, bind };
  const cents = parseCents(text);
  const pieces = [
    ...textPieces(query, text).map((piece) => ['text', piece]),
    ...(LAST_DIGITS.test(text)
      ? [['digits', selectByTransaction(query, 'payment_method_last4', text, NEWEST_OF_NUMBER)]]
      : []),
    ...(cents === null
      ? []
      : [
          ['amount', `${selectLinks(query)} and l.amount_cents = ${bind(cents)} order by l.created_at desc, l.id desc`],
        ]),
  ];
  const rows = await sql<{ place: number; id: string }>(
    scope.em,
    pieces
      .map(([, piece], place) => `select ${place} as place, f.id from (${piece} limit ${MAX_CANDIDATES}) as f`)
      .join(' union all '),
    values,
  );
  const isOf = (kind: string) => (row: { place: number }) => pieces[row.place]?.[0] === kind;
  // Where a whole number is that of a chart or a receipt, hundreds of links of this amount would hide it.
  const isNumber = WHOLE_NUMBER.test(text) && rows.some(isOf('text'));
  const found = isNumber ? rows.filter((row) => !isOf('amount')(row)) : rows;
  const idsOf = (some: typeof rows) => [...new Set(some.map(({ id }) => id))];
  const counts = Map.groupBy(found, ({ place }) => place).values();
  return {
    links: idsOf(found.filter((row) => !isOf('digits')(row))),
    payments: idsOf(found),
    isCut: counts.some((some) => some.length >= MAX_CANDIDATES),
  };
}

function normalizeSearch(search: string): string {
  return search
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
}

function dropSeparators(text: string): string {
  return text.replaceAll(/[\s().-]/g, '');
}

/** Returns an amount in cents; null for a text that is none. */
function parseCents(text: string): number | null {
  const cents = Math.round(parseDollars(text) * 100);
  return cents > 0 ? cents : null;
}

/** Returns a query for ids for each way to read the text as a name or a number of its own. */
function textPieces(query: Query, text: string): string[] {
  const { bind } = query;
  const equal = (column: string, wanted: string) => `${selectLinks(query)} and ${column} = ${bind(wanted)}`;
  const digits = dropSeparators(text);
  const phone = parsePhone(text, 'US');
  return [
    ...(isId('paymentLink', text) ? [`${selectLinks(query)} and l.id = ${bind(text)}`] : []),
    `${equal('l.external_reference', text)} order by l.created_at desc, l.id desc`,
    equal('l.patient_external_id', text),
    ...(phone === null ? [] : [equal('l.patient_phone', phone)]),
    ...(PAYMENT_NUMBER.test(digits) ? [selectByTransaction(query, 'payment_number', digits, '')] : []),
    ...(text.includes('@')
      ? [`${selectLinks(query)} and ${hasPrefix(EMAIL, `lower(${bind(text)})`)} order by ${EMAIL}`]
      : namePieces(query, text)),
  ];
}

/** Finds links by a column of their transactions, which do not have the mode. */
function selectByTransaction(query: Query, column: string, wanted: string, limit: string): string {
  const { bind, viewer } = query;
  return `select l.id from (
      select payment_link_id from transactions
      where practice_id = ${bind(viewer.practiceId)} and ${column} = ${bind(wanted)} ${limit}
    ) as t join payment_links l on l.id = t.payment_link_id where ${ownCondition(query.viewer, query.bind)}`;
}

/** Reads patients whose last name begins with the text, and every split of it into a last and a first name. */
function namePieces(query: Query, text: string): string[] {
  const { bind } = query;
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const nameOf = (parts: readonly string[]) => `(${fold(bind(parts.join(' ')))})`;
  const selectByName = (condition: string) =>
    `${selectLinks(query)} and ${condition} order by ${LAST_NAME}, ${FIRST_NAME}, l.created_at desc`;
  const selectByBoth = (last: readonly string[], first: readonly string[]) =>
    selectByName(`${LAST_NAME} = ${nameOf(last)} and ${hasPrefix(FIRST_NAME, nameOf(first))}`);
  const splits = words.slice(0, MAX_SPLITS).flatMap((_, place) => {
    const [left, right] = [words.slice(0, place + 1), words.slice(place + 1)];
    return right.length === 0 ? [] : [selectByBoth(left, right), selectByBoth(right, left)];
  });
  return [selectByName(hasPrefix(LAST_NAME, nameOf(words))), ...splits];
}

/** Returns the condition that a column begins with the prefix, which an index answers. */
function hasPrefix(column: string, prefix: string): string {
  return `${column} >= ${prefix} and ${column} < ${prefix} || ${LAST}`;
}

function selectLinks(query: Query): string {
  return `select l.id from payment_links l where ${ownCondition(query.viewer, query.bind)}`;
}
