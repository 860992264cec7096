import { randomInt } from 'node:crypto';

const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns random letters and digits, about 5.95 bits each. Tokens, keys and secrets have no other characters. Programs that
 * find addresses in texts, or select a word by a double click, leave out signs at its end.
 */
export function randomText(length: number): string {
  return Array.from({ length }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]).join('');
}
