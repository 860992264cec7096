import type { Language } from './language.ts';

/** A text in each language. */
export type Both = Readonly<Record<Language, string>>;

/** Texts in one language. A text with values is a function of them. A plain string is the same in all languages. */
export type Said<T> = T extends Both
  ? string
  : T extends (...values: infer Values) => Both
    ? (...values: Values) => string
    : { readonly [Name in keyof T]: Said<T[Name]> };

export function inLanguage<T>(texts: T, language: Language): Said<T> {
  // `choose` replaces each text by a string, as the type says.
  return choose(texts) as Said<T>;

  function choose(text: unknown): unknown {
    if (typeof text === 'function') return (...values: unknown[]) => choose(text(...values));
    if (Array.isArray(text)) return text.map(choose);
    if (typeof text !== 'object' || text === null) return text;
    if (language in text) return Object.entries(text).find(([name]) => name === language)?.[1];
    return Object.fromEntries(Object.entries(text).map(([name, one]) => [name, choose(one)]));
  }
}
