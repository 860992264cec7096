const MAX_LENGTH = 60;
const MAX_TEXT_LENGTH = 200;

/** Characters that no name of a practice needs. Addresses need some of them. */
const FOREIGN = /[^\p{L}\p{M}\p{N} &'’,.()-]+/gu;

/** The same for texts. Without two slashes in a row, a slash makes no address. */
const FOREIGN_IN_TEXT = /[^\p{L}\p{M}\p{N} &'’,.()$#/-]+|\/(?=\/)/gu;

/** A dot inside a word, as in the name of a host. */
const INNER_DOT = /\.(?=\S)/g;

/** A telephone number, with separators of any kind but letters. */
const LONG_NUMBER = /\p{N}(?:[^\p{L}\p{N}]*\p{N}){5,}/gu;

/** A telephone number in a text, which has dates and prices, too. */
const TELEPHONE = /[(]?\p{N}(?:[ ().-]*\p{N}){9,}/gu;

/** Returns a typed name for people who may not know the practice: without an address, a telephone number, or what becomes a link. */
export function nameInMail(name: string): string {
  return wordsInMail(name, FOREIGN, LONG_NUMBER, MAX_LENGTH);
}

/** Returns a text of a practice about a payment, in the same way. It has dates and prices. */
export function descriptionInMail(text: string): string {
  return wordsInMail(text, FOREIGN_IN_TEXT, TELEPHONE, MAX_TEXT_LENGTH);
}

function wordsInMail(text: string, foreign: RegExp, left: RegExp, maxLength: number): string {
  const plainText = text.normalize('NFKC').replaceAll(foreign, ' ').replaceAll(left, ' ').replaceAll(INNER_DOT, '. ');
  return [...plainText.replaceAll(/ +/g, ' ').trim()].slice(0, maxLength).join('') || '–';
}
