import { LANGUAGES } from '../../pages/texts/language.ts';
import type { Texts } from './en.ts';
import { TEXTS } from './texts.ts';

/** Returns a mail in all languages, for people whose language nobody knows. */
export function inAllLanguages(write: (texts: Texts['mails']) => { subject: string; text: string }) {
  const mails = LANGUAGES.map((language) => write(TEXTS[language].mails));
  return {
    subject: mails.map(({ subject }) => subject).join(' / '),
    text: mails.map(({ text }) => text).join('\n* * *\n\n'),
  };
}
