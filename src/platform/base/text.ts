/** A character that a text may not have. */
export interface UnfitCharacter {
  kind: 'control character' | 'unpaired surrogate' | 'direction mark';
  /** The character itself would damage the message. */
  codePoint: string;
}

/*
 * PostgreSQL refuses NUL in text and lone surrogates in json; names and references never need the other control characters. Marks of
 * direction turn the text around a name. Joiners are fine: names in Persian and in scripts of India need them.
 */
const UNFIT_IN_LINE = /[\p{Cc}\p{Cs}\p{Bidi_C}]/u;
const UNFIT_IN_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** @param isMultiline allows tabs, line breaks and marks of direction */
export function findUnfit(text: string, isMultiline = false): UnfitCharacter | null {
  const [character] = (isMultiline ? UNFIT_IN_TEXT : UNFIT_IN_LINE).exec(text) ?? [];
  if (character === undefined) return null;
  const code = character.codePointAt(0) ?? 0;
  const isSurrogate = /\p{Cs}/u.test(character);
  const otherKind = /\p{Cc}/u.test(character) ? 'control character' : 'direction mark';
  return {
    kind: isSurrogate ? 'unpaired surrogate' : otherKind,
    codePoint: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
  };
}

/** Returns the rest of a sentence that begins with the name of the field. */
export function unfitMessage({ kind, codePoint }: UnfitCharacter): string {
  return `must not contain the ${kind} ${codePoint}`;
}

const BLANK_CHARACTER = String.raw`[\s\u115f\u1160\u180e\u200b\u2060\u2800\u3164\uffa0]`;
const BLANKS = `${BLANK_CHARACTER}+`;
/** Looks for the end of the text only from the first blank of a run. From each blank, the steps would grow with its square. */
const BLANKS_AROUND = new RegExp(`^${BLANKS}|(?<!${BLANK_CHARACTER})${BLANKS}$`, 'gu');

/** Matches a text in which nothing can be seen. */
const BLANK = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

export function trimBlanks(text: string): string {
  return text.replaceAll(BLANKS_AROUND, '');
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** The refusal is the rest of a sentence. */
export type NameCheck = { name: string } | { refusal: string };

/** Requires a clean name of at most `max` code points that is not blank. */
export function checkName(typed: string, max: number): NameCheck {
  const unfit = findUnfit(typed.trim());
  if (unfit !== null) return { refusal: unfitMessage(unfit) };
  const name = trimBlanks(typed);
  if (isBlank(name)) return { refusal: 'must not be blank' };
  const length = codePoints(name);
  return length <= max ? { name } : { refusal: `must have at most ${max} characters; it has ${length}` };
}

export function parseName(typed: string, max: number): string | null {
  const checked = checkName(typed, max);
  return 'name' in checked ? checked.name : null;
}

/** Counts as the contract and JSON Schema do. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
