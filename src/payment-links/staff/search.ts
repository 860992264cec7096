import { isId } from '../../base/ids.ts';
import { parsePhone } from '../../base/phone.ts';
import { and, created, own, type StaffQuery } from './query.ts';

/** Most candidates of each way to read the search text. It bounds the time of a search. */
const MAX_CANDIDATES = 500;

/** Most links that a search by amount alone looks at, from the newest. No index has the amount. */
const MAX_SCANNED = 2_000;

/** Longest search text in characters. */
const MAX_LENGTH = 100;

/** Most words of a name at which it is split into first and last name. */
const MAX_SPLITS = 3;

/** Sorts after every text that begins with the same characters. */
const LAST = `chr(1114111)`;

const folded = (text: string) => `translate(lower(${text}), 'ÁÉÍÓÚÜÑáéíóúüñ', 'aeiouunaeiouun') collate "C"`;

const FIRST_NAME = `(${folded('p.patient_first_name')})`;
const LAST_NAME = `(${folded('p.patient_last_name')})`;
const EMAIL = '(lower(p.patient_email) collate "C")';

/** Kinds of search texts. A text of the last kind may be a name, an external id or a reference. */
export type SearchKind = 'link' | 'email' | 'payment_number' | 'phone' | 'name_or_reference';

/** Returns the kind of a search text for the audit log, which never has the text; null for an empty one. */
export function kindOfSearch(search: string): SearchKind | null {
  const text = searchedText(search);
  if (text === '') return null;
  if (isId('paymentLink', text)) return 'link';
  if (text.includes('@')) return 'email';
  const digits = digitsOf(text);
  if (PAYMENT_NUMBER.test(digits)) return 'payment_number';
  return phoneOf(digits) === null ? 'name_or_reference' : 'phone';
}

/**
 * Returns a query for `at` and `id` of the links that a search finds, before the other parts of the filter. Each way to read
 * the text is a bounded scan of one index. `isCut` is SQL that says whether a scan ended at its bound.
 */
export function searchedLinks(query: StaffQuery): { candidates: string; isCut: string } {
  const { filter } = query;
  const text = searchedText(filter.search);
  if (text === '') return scannedLinks(query);
  const limit = `${MAX_CANDIDATES}`;
  return {
    candidates: textPieces(query, text)
      .map((piece, place) => `select ${place} as piece, found.* from (${piece} limit ${limit}) as found (at, id)`)
      .join(' union all '),
    isCut: `exists (select from candidate group by piece having count(*) >= ${limit})`,
  };
}

const PAYMENT_NUMBER = /^\d{9}$/;

function searchedText(search: string): string {
  return search
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
}

function digitsOf(text: string): string {
  return text.replaceAll(/[\s().-]/g, '');
}

/** Reads the newest links, and compares their amounts. */
function scannedLinks(query: StaffQuery): { candidates: string; isCut: string } {
  const { filter, value } = query;
  const cursor = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_/.exec(filter.before ?? '')?.[1];
  const older = cursor === undefined ? [] : [`p.created_at <= ${value(new Date(cursor))}`];
  const newest = (columns: string) => `select ${columns} from payment_links p
    where ${own(query)} ${and(...older, ...created('p', query))}
    order by p.created_at desc, p.id desc limit ${MAX_SCANNED}`;
  return {
    candidates: `select at, id from (${newest('p.created_at as at, p.id, p.amount_cents')}) as scanned
      where amount_cents = ${value(filter.amountCents)}`,
    isCut: `(select count(*) from (${newest('')}) as scanned) >= ${MAX_SCANNED}`,
  };
}

function textPieces(query: StaffQuery, text: string): string[] {
  const { value, viewer } = query;
  const equal = (column: string, of: string) => `${from(query)} and ${column} = ${value(of)}`;
  const digits = digitsOf(text);
  const phone = phoneOf(digits);
  return [
    ...(isId('paymentLink', text) ? [`${from(query)} and p.id = ${value(text)}`] : []),
    `${equal('p.external_reference', text)} order by p.created_at desc, p.id desc`,
    equal('p.patient_external_id', text),
    ...(phone === null ? [] : [equal('p.patient_phone', phone)]),
    ...(PAYMENT_NUMBER.test(digits)
      ? [
          `select p.created_at, p.id from transactions t join payment_links p on p.id = t.payment_link_id
           where t.practice_id = ${value(viewer.practiceId)} and t.payment_number = ${value(digits)} and ${own(query)}`,
        ]
      : []),
    ...(text.includes('@')
      ? [`${from(query)} and ${begins(EMAIL, `lower(${value(text)})`)} order by ${EMAIL}`]
      : namePieces(query, text)),
  ];
}

/** Returns a US number with or without country code, or an international one, in E.164; null for other texts. */
function phoneOf(digits: string): string | null {
  if (!/^\+?\d{7,15}$/.test(digits)) return null;
  if (digits.startsWith('+')) return parsePhone(digits);
  return parsePhone(digits.length === 11 ? `+${digits}` : `+1${digits}`);
}

/** Reads patients whose last name begins with the text, and every split of it into a last and a first name. */
function namePieces(query: StaffQuery, text: string): string[] {
  const { value } = query;
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const name = (of: readonly string[]) => `(${folded(value(of.join(' ')))})`;
  const byName = (condition: string) =>
    `${from(query)} and ${condition} order by ${LAST_NAME}, ${FIRST_NAME}, p.created_at desc`;
  const both = (last: readonly string[], first: readonly string[]) =>
    byName(`${LAST_NAME} = ${name(last)} and ${begins(FIRST_NAME, name(first))}`);
  const splits = words.slice(0, MAX_SPLITS).flatMap((_, place) => {
    const [left, right] = [words.slice(0, place + 1), words.slice(place + 1)];
    return right.length === 0 ? [] : [both(left, right), both(right, left)];
  });
  return [byName(begins(LAST_NAME, name(words))), ...splits];
}

function begins(column: string, prefix: string): string {
  return `${column} >= ${prefix} and ${column} < ${prefix} || ${LAST}`;
}

function from(query: StaffQuery): string {
  return `select p.created_at, p.id from payment_links p where ${own(query)}`;
}
