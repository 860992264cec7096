import type { Language } from '../../pages/texts/language.ts';

/** A format takes as much memory and time as a thousand uses of it, so each is made once. */
const DAYS = formats({ dateStyle: 'medium' });
const MOMENTS = formats({ dateStyle: 'medium', timeStyle: 'medium' });

/** Returns a day in UTC, such as `Jun 15, 2030`. */
export function dayText(at: Date, language: Language): string {
  return DAYS[language].format(at);
}

/** Returns a moment in UTC with seconds, such as `Jun 15, 2030, 12:00:00 PM`. */
export function momentText(at: Date, language: Language): string {
  return MOMENTS[language].format(at);
}

function formats(options: Intl.DateTimeFormatOptions): Readonly<Record<Language, Intl.DateTimeFormat>> {
  const inUtc = { ...options, timeZone: 'UTC' };
  return { en: new Intl.DateTimeFormat('en', inUtc), es: new Intl.DateTimeFormat('es', inUtc) };
}
