import { isId } from '../../platform/base/ids.ts';
import { parseDollars } from '../../platform/base/money.ts';
import { parsePhone } from '../../platform/base/phone.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { trimBlanks } from '../../platform/base/text.ts';
import { type Bind, createBindings, sql } from '../../platform/database/query/sql.ts';
import { ownCondition, type Viewer } from '../model/staff-status.ts';

/* The search of the console. A text may be read as a name, a number or an amount. Each way is a bounded scan of one index. */

/** Longest reference or chart number in the index, in characters. No search text is longer. */
const MAX_SEARCH_LENGTH = 100;

/** Words of a link, as the index `payment_links_search` has them. Practice and mode begin each word. */
export const WORDS = `search_words(right(practice_id, 8) || case when test then 't' else 'l' end, fold_search_text(
  patient_first_name || ' ' || patient_last_name || E'\\x1f' || coalesce(left(external_reference, ${MAX_SEARCH_LENGTH}), '')
  || E'\\x1f' || coalesce(left(patient_external_id, ${MAX_SEARCH_LENGTH}), '')))`;

/** Most candidates of each way to read the search text. It bounds the time of a search. */
const MAX_CANDIDATES = 500;

/** Limits a search to the latest payments by cards and accounts of one number, live and test ones. */
const NEWEST_OF_NUMBER = 'order by created_at desc limit 5000';

/** Sorts after every text that begins with the same characters. */
const LAST = `chr(1114111)`;

const EMAIL = '(lower(l.patient_email) collate "C")';

const PAYMENT_NUMBER = /^\d{9}$/;
const LAST_DIGITS = /^\d{4}$/;
const WHOLE_NUMBER = /^\d+$/;

/** Kinds of search texts. A text of the last kind may be a name, an external id, a reference, an amount or last digits. */
export type SearchKind = 'link' | 'email' | 'payment_number' | 'phone' | 'amount' | 'name_or_reference';

/** Ids of the links that a search finds, and the viewer sees. */
export interface SearchResult {
  ids: string[];
  /** True if a scan ended at its bound, so that something may be missing. */
  isCut: boolean;
}

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

/** Finds links by a text, also by the card or account that paid them; null for an empty one. */
export async function findByText(scope: Scope, viewer: Viewer, search: string): Promise<SearchResult | null> {
  const text = normalizeSearch(search);
  if (text === '') return null;
  const { values, bind } = createBindings();
  const query: Query = { viewer, bind };
  const cents = parseCents(text);
  const words = await readWords(scope, viewer, text);
  const wordPieces = words === null ? [] : [selectByWords(query, words.number), selectByWords(query, words.names)];
  const pieces = [
    ...[...numberPieces(query, text), ...wordPieces].map((piece) => ['text', piece]),
    ...(LAST_DIGITS.test(text)
      ? [['digits', selectByTransaction(query, 'payment_method_last4', text, NEWEST_OF_NUMBER)]]
      : []),
    ...(cents === null
      ? []
      : [
          ['amount', `${selectLinks(query)} and l.amount_cents = ${bind(cents)} order by l.created_at desc, l.id desc`],
        ]),
  ];
  const { locationIds } = viewer;
  const isSeen =
    locationIds === null
      ? 'true'
      : `(select l.location_id = any (${bind(locationIds)}) from payment_links l where l.id = f.id)`;
  const rows = await sql<{ place: number; id: string; isSeen: boolean }>(
    scope.em,
    pieces
      .map(
        ([, piece], place) =>
          `select ${place} as place, f.id, ${isSeen} as "isSeen" from (${piece} limit ${MAX_CANDIDATES}) as f`,
      )
      .join(' union all '),
    values,
  );
  const isOf = (kind: string) => (row: { place: number }) => pieces[row.place]?.[0] === kind;
  // Where a whole number is a chart number or the number of a receipt, hundreds of links of this amount would hide it.
  const isNumber = WHOLE_NUMBER.test(text) && rows.some((row) => row.isSeen && isOf('text')(row));
  const countedRows = isNumber ? rows.filter((row) => !isOf('amount')(row)) : rows;
  const counts = Map.groupBy(countedRows, ({ place }) => place).values();
  return {
    ids: [...new Set(countedRows.flatMap(({ id, isSeen }) => (isSeen ? [id] : [])))],
    isCut: counts.some((some) => some.length >= MAX_CANDIDATES),
  };
}

function normalizeSearch(search: string): string {
  const text = trimBlanks(search.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').replaceAll(/\p{Bidi_C}/gu, ''));
  return [...text].slice(0, MAX_SEARCH_LENGTH).join('');
}

function dropSeparators(text: string): string {
  return text.replaceAll(/[\s().-]/g, '');
}

function parseCents(text: string): number | null {
  const cents = Math.round(parseDollars(text) * 100);
  return cents > 0 ? cents : null;
}

/** Returns a query for ids for each way to read the text as a number or an address. */
function numberPieces(query: Query, text: string): string[] {
  const { bind } = query;
  const digits = dropSeparators(text);
  const phone = parsePhone(text, 'US');
  const equal = (column: string, wanted: string) => `${selectLinks(query)} and ${column} = ${bind(wanted)}`;
  const email = () => `lower(${bind(text)})`;
  return [
    ...(isId('paymentLink', text) ? [equal('l.id', text)] : []),
    ...(phone === null ? [] : [equal('l.patient_phone', phone)]),
    ...(PAYMENT_NUMBER.test(digits) ? [selectByTransaction(query, 'payment_number', digits, '')] : []),
    ...(text.includes('@')
      ? [`${selectLinks(query)} and ${EMAIL} >= ${email()} and ${EMAIL} < ${email()} || ${LAST} order by ${EMAIL}`]
      : []),
  ];
}

/** Finds links by their words, the newest first. Other indexes would compute the words of each link (plan hint FENCE). */
function selectByWords({ viewer, bind }: Query, words: string): string {
  return `select l.id from (
      select id, practice_id, test, created_at from payment_links where ${WORDS} @@ ${bind(words)}::tsquery offset 0
    ) as l where ${ownCondition(viewer, bind)} order by l.created_at desc, l.id desc`;
}

/** Finds links by a column of their transactions, which do not have the mode. */
function selectByTransaction(query: Query, column: string, wanted: string, limit: string): string {
  const { bind, viewer } = query;
  return `select l.id from (
      select payment_link_id from transactions
      where practice_id = ${bind(viewer.practiceId)} and ${column} = ${bind(wanted)} ${limit}
    ) as t join payment_links l on l.id = t.payment_link_id where ${ownCondition(query.viewer, query.bind)}`;
}

function selectLinks(query: Query): string {
  return `select l.id from payment_links l where ${ownCondition(query.viewer, query.bind)}`;
}

/** Conditions on `WORDS`, as values of the type tsquery. Null for a text without letters, digits and signs. */
interface WordQueries {
  /** Each typed word is the beginning of a word of the patient's names. */
  names: string;
  /** The whole text is a reference or a chart number. */
  number: string;
}

/** Returns what to look for among `WORDS`. The database folds both sides: its locale and Unicode decide what lower case is. */
export async function readWords({ em }: Pick<Scope, 'em'>, viewer: Viewer, text: string): Promise<WordQueries | null> {
  const [row] = await sql<{ folded: string }>(em, 'select fold_search_text($1) as folded', [text]);
  const typedWords = (row?.folded ?? '').split(' ').filter((word) => word.replaceAll('-', '') !== '');
  if (typedWords.length === 0) return null;
  const owner = `${viewer.practiceId.slice(-8)}${viewer.test ? 't' : 'l'}`;
  const quote = (mark: ':' | '#', word: string) =>
    `'${`${owner}${mark}${word}`.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const beginningOf = (word: string) => `${quote(':', word)}:*`;
  const names = typedWords.map((word) => {
    const parts = word.split('-').filter((part) => part !== '');
    return `(${beginningOf(parts.join(''))} | (${parts.map(beginningOf).join(' & ')}))`;
  });
  return { names: names.join(' & '), number: quote('#', typedWords.join('').replaceAll('-', '')) };
}
