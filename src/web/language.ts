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
