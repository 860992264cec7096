/**
 * Returns true if a line has no control characters and no lone surrogates. PostgreSQL refuses NUL in text and lone surrogates in json;
 * names and references never need the others. Marks of direction are refused, too: in a name they would turn the text around it.
 */
export function isCleanLine(text: string): boolean {
  return !DIRTY_LINE.test(text);
}

/** Returns true if a text of several lines is clean, as `isCleanLine` says. It may have tabs, line breaks and marks of direction. */
export function isCleanText(text: string): boolean {
  return !DIRTY_TEXT.test(text);
}

const DIRTY_LINE = /[\p{Cc}\p{Cs}\p{Bidi_C}]/u;
const DIRTY_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Returns a name that a person typed, without blanks around it; null if it is empty, longer than `max` code points, or not clean. */
export function parseName(typed: string, max: number): string | null {
  const name = typed.trim();
  return name !== '' && codePoints(name) <= max && isCleanLine(name) ? name : null;
}

/** Returns the length in code points, as the contract and JSON Schema count. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
