const MAX_LENGTH = 60;

/** Characters that no name of a practice needs. Addresses need some of them. */
const FOREIGN = /[^\p{L}\p{M}\p{N} &'’,.()-]+/gu;

/** A dot inside a word, as in the name of a host. */
const INNER_DOT = /\.(?=\S)/g;

/** A telephone number, with separators of any kind but letters. */
const LONG_NUMBER = /\p{N}(?:[^\p{L}\p{N}]*\p{N}){5,}/gu;

/**
 * Returns a name that a practice typed, for a mail to people who may not know the practice. It has no address and no telephone
 * number, and mail programs make no link of it. Ordinary names stay as they are.
 */
export function nameInMail(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(FOREIGN, ' ')
    .replaceAll(LONG_NUMBER, ' ')
    .replaceAll(INNER_DOT, '. ');
  return [...plain.replaceAll(/ +/g, ' ').trim()].slice(0, MAX_LENGTH).join('') || '–';
}
