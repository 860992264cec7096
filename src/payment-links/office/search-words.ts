import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../../platform/database/query/sql.ts';
import type { Viewer } from '../model/staff-status.ts';

/*
 * One way to fold text for searching. The database folds both sides: its locale decides what lower case is, and JavaScript may know
 * another version of Unicode. `schema/0118-search-words.sql` indexes the same expression as `WORDS`.
 */

/** Accents, points of vowels, and format characters. */
const MARKS = [
  String.raw`[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c`,
  String.raw`\u064b-\u065f\u0670\u06d6-\u06dd\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u070f\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff`,
  String.raw`\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]`,
].join('');

const SEPARATORS = String.raw`,\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000`;
const BLANKS = ' '.repeat(25);

/** Letters with a stroke and without a dot, which have no mark to remove. A final sigma is like any other. */
const [STROKED, PLAIN] = ['đĐøØłŁħĦıς', 'ddoollhhiσ'];

/** Letters of which a database with the locale C knows no lower case. */
const CAPITALS = 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒÞ';

const APOSTROPHES = `''‘’ʼ`;

/** Hyphens, and the dashes that people type instead. */
const HYPHENS = String.raw`-\u2010\u2011\u2012\u2013\u2014\u2212`;

/** Longest reference or chart number in the index, in characters. No search text is longer. */
export const MAX_SEARCH_LENGTH = 100;

const fold = (text: string) =>
  `translate(lower(regexp_replace(normalize(${text}, nfd), '${MARKS}', '', 'g')), E'${SEPARATORS}${STROKED}${CAPITALS}${APOSTROPHES}',
    '${BLANKS}${PLAIN}${CAPITALS.toLowerCase()}')`;

const NAME = `patient_first_name || ' ' || patient_last_name`;

/** A name with a hyphen has its parts, and is one word, too: Smith-Jones is found by Jones, and by SmithJones. */
const NAMES = `translate(${NAME}, E'${HYPHENS}', '       ') || ' ' || translate(${NAME}, E'${HYPHENS}', '')`;

const NUMBERS = `coalesce(left(external_reference, ${MAX_SEARCH_LENGTH}) || E'\\x1f', '')
  || coalesce(left(patient_external_id, ${MAX_SEARCH_LENGTH}) || E'\\x1f', '')`;

/** Practice and mode begin each word, so that a search reads no words of others. */
const OWNER = `practice_id || case when test then 't' else 'l' end`;

/** Words of a link: those of the patient's names after a colon, its whole reference and chart number after a number sign. */
export const WORDS = `array_to_tsvector(array_remove(array_remove(
  string_to_array(${OWNER} || ':' || replace(${fold(NAMES)}, ' ', ' ' || ${OWNER} || ':'), ' ')
  || string_to_array(${OWNER} || '#' || replace(translate(${fold(NUMBERS)}, E' ${HYPHENS}', ''), E'\\x1f', E'\\x1f' || ${OWNER} || '#'), E'\\x1f'),
  ${OWNER} || ':'), ${OWNER} || '#'))`;

/** Conditions on `WORDS`, as values of the type tsquery. Null for a text without letters, digits and signs. */
interface WordQueries {
  /** Each typed word is the beginning of a word of the patient's names. */
  names: string;
  /** The whole text is a reference or a chart number. */
  number: string;
}

/** Folds a search text, and returns what to look for among `WORDS`. */
export async function readWords(em: EntityManager, viewer: Viewer, text: string): Promise<WordQueries | null> {
  const [row] = await sql<{ folded: string }>(
    em,
    `select translate(${fold('$1::text')}, E'${HYPHENS}', '-------') as folded`,
    [text],
  );
  const typed = (row?.folded ?? '').split(' ').filter((word) => word.replaceAll('-', '') !== '');
  if (typed.length === 0) return null;
  const owner = `${viewer.practiceId}${viewer.test ? 't' : 'l'}`;
  const quote = (mark: ':' | '#', word: string) =>
    `'${`${owner}${mark}${word}`.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const beginningOf = (word: string) => `${quote(':', word)}:*`;
  const names = typed.map((word) => {
    const parts = word.split('-').filter((part) => part !== '');
    return `(${beginningOf(parts.join(''))} | (${parts.map(beginningOf).join(' & ')}))`;
  });
  return { names: names.join(' & '), number: quote('#', typed.join('').replaceAll('-', '')) };
}
