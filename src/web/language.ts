import type { Request } from 'koa';

/** The languages of the pages. The first is the default. */
export const LANGUAGES = ['en', 'es'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Chooses the language of a page: the named one, else the best match of Accept-Language, else English. */
export function chooseLanguage(code: string | null, request: Pick<Request, 'acceptsLanguages'>): Language {
  return findLanguage(code ?? '') ?? findLanguage(request.acceptsLanguages(...LANGUAGES) || '') ?? LANGUAGES[0];
}

/** Returns `es` for `es`, `es-MX`, `ES_us` and `es.`; null for a language that the pages do not have. */
function findLanguage(tag: string): Language | null {
  const [primary] = tag.toLowerCase().split(/[^a-z]/);
  return LANGUAGES.find((language) => language === primary) ?? null;
}

/** Returns the English name of a language, such as `Spanish`. Returns a text that is no language as it is. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}

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
    if (typeof text !== 'object' || text === null) return text;
    if (language in text) return Reflect.get(text, language);
    return Object.fromEntries(Object.entries(text).map(([name, one]) => [name, choose(one)]));
  }
}
