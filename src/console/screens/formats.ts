import type { Language } from '../../pages/texts/language.ts';

/** Returns a day in UTC, such as `Jun 15, 2030`. */
export function dayText(at: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(at);
}

/** Returns a moment in UTC with seconds, such as `Jun 15, 2030, 12:00:00 PM`. */
export function momentText(at: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }).format(at);
}
