import type { Language } from '../../pages/texts/language.ts';
import { TEXTS } from '../../pages/texts/texts.ts';

/** A format takes as much memory and time as a thousand uses of it, so each is made once. Zones are those of locations. */
const known = new Map<string, Intl.DateTimeFormat>();

/** Returns a day in UTC, such as `Jun 15, 2030`. */
export function dayText(at: Date, language: Language): string {
  return format(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(at);
}

/** Returns a moment with seconds in a zone, such as `Jun 15, 2030, 12:00:00 PM`. */
export function momentText(at: Date, language: Language, timeZone = 'UTC'): string {
  return format(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(at);
}

/** Returns how long ago a moment of the last hours was, such as `5 minutes ago`. */
export function agoText(at: Date, now: Date, language: Language): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 60_000));
  const words = new Intl.RelativeTimeFormat(TEXTS[language].language.locale, { numeric: 'auto' });
  return minutes < 60 ? words.format(-minutes, 'minute') : words.format(-Math.floor(minutes / 60), 'hour');
}

/** Returns the name of a language in another one, such as `Spanish`. Returns a text that is no language as it is. */
export function languageName(code: string, language: Language): string {
  const names = languageNames.get(language) ?? new Intl.DisplayNames(language, { type: 'language' });
  languageNames.set(language, names);
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

const languageNames = new Map<Language, Intl.DisplayNames>();

function format(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { locale } = TEXTS[language].language;
  const key = `${locale} ${JSON.stringify(options)}`;
  const found = known.get(key) ?? new Intl.DateTimeFormat(locale, options);
  known.set(key, found);
  return found;
}
