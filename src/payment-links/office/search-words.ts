import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../../platform/database/query/sql.ts';
import type { Viewer } from '../model/staff-status.ts';

/*
 * The database folds both sides of a search (`fold_search_text`): its locale decides what lower case is, and JavaScript may know
 * another version of Unicode.
 */

/** Longest reference or chart number in the index, in characters. No search text is longer. */
export const MAX_SEARCH_LENGTH = 100;

/** Words of a link, as the index `payment_links_search` has them. Practice and mode begin each word. */
export const WORDS = `search_words(right(practice_id, 8) || case when test then 't' else 'l' end, patient_first_name || ' ' || patient_last_name,
  external_reference, patient_external_id)`;

/** Conditions on `WORDS`, as values of the type tsquery. Null for a text without letters, digits and signs. */
interface WordQueries {
  /** Each typed word is the beginning of a word of the patient's names. */
  names: string;
  /** The whole text is a reference or a chart number. */
  number: string;
}

/** Folds a search text, and returns what to look for among `WORDS`. */
export async function readWords(em: EntityManager, viewer: Viewer, text: string): Promise<WordQueries | null> {
  const [row] = await sql<{ folded: string }>(em, 'select fold_search_text($1) as folded', [text]);
  const typed = (row?.folded ?? '').split(' ').filter((word) => word.replaceAll('-', '') !== '');
  if (typed.length === 0) return null;
  const owner = `${viewer.practiceId.slice(-8)}${viewer.test ? 't' : 'l'}`;
  const quote = (mark: ':' | '#', word: string) =>
    `'${`${owner}${mark}${word}`.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const beginningOf = (word: string) => `${quote(':', word)}:*`;
  const names = typed.map((word) => {
    const parts = word.split('-').filter((part) => part !== '');
    return `(${beginningOf(parts.join(''))} | (${parts.map(beginningOf).join(' & ')}))`;
  });
  return { names: names.join(' & '), number: quote('#', typed.join('').replaceAll('-', '')) };
}
