/**
 * Whether a string may enter the service: no control character and no lone surrogate (PostgreSQL refuses NUL in text
 * and lone surrogates in json; the others have no business in a name or a reference). `multiline` admits tab and line
 * breaks, for text that people read in paragraphs.
 */
export function isCleanText(text: string, multiline: boolean): boolean {
  return !(multiline ? DIRTY_MULTILINE : DIRTY).test(text);
}

const DIRTY = /[\p{Cc}\p{Cs}]/u;
const DIRTY_MULTILINE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Length in code points, as the contract and JSON Schema count. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
