import type { Language } from '../../pages/texts/language.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';

/** All texts of the console, by language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, es };

/** Returns the word for a value, or the value if it has none. What people typed may be the name of a property that every object has. */
export function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value;
}
