/**
 * Returns true if a string has no control characters and no lone surrogates. PostgreSQL refuses NUL in text and lone
 * surrogates in json; names and references never need the others. `isMultiline` allows tabs and line breaks. It also allows marks of
 * direction, which in a name would turn the text around it.
 */
export function isCleanText(text: string, isMultiline: boolean): boolean {
  return !(isMultiline ? DIRTY_MULTILINE : DIRTY).test(text);
}

const DIRTY = /[\p{Cc}\p{Cs}\p{Bidi_C}]/u;
const DIRTY_MULTILINE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Returns a name that a person typed, without blanks around it; null if it is empty, longer than `max` code points, or not clean. */
export function parseName(typed: string, max: number): string | null {
  const name = typed.trim();
  return name !== '' && codePoints(name) <= max && isCleanText(name, false) ? name : null;
}

/** Returns the length in code points, as the contract and JSON Schema count. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
