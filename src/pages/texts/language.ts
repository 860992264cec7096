/** The languages of the pages, the default first. */
export const LANGUAGES = ['en', 'es'] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * The language of a page: what the address or the form names, else the best of the browser's wishes that we have, else
 * English.
 *
 * @param named the value of `lang`, if any
 * @param accepted the Accept-Language header
 */
export function chooseLanguage(named: string | null, accepted: string | undefined): Language {
  return (
    known(named ?? '') ??
    wishes(accepted ?? '')
      .map(known)
      .find(isLanguage) ??
    LANGUAGES[0]
  );
}

/** `es` for `es`, `es-MX`, `ES_us`; null for a language that we don't have. */
function known(tag: string): Language | null {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === primary) ?? null;
}

function isLanguage(language: Language | null): language is Language {
  return language !== null;
}

/** The tags of the header (RFC 9110, section 12.5.4), the most wanted first; those with q=0 are refusals. */
function wishes(header: string): string[] {
  return header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map((wish) => {
      const [tag = '', ...parameters] = wish.split(';').map((part) => part.trim());
      const quality = /^q=([01](?:\.\d{0,3})?)$/i.exec(parameters[0] ?? '')?.[1];
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

/** No browser sends as much; what is behind it is not worth the time. */
const MAX_HEADER_LENGTH = 500;
