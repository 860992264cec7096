import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { trimBlanks } from './text.ts';

/** Programs put them around numbers that people copy. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * Returns a telephone number in E.164; null if it is invalid or has an extension. Invisible characters, and blanks around, do not count.
 *
 * @param country whose numbers may lack the country code; null if each needs a + and its code
 */
export function parsePhone(text: string, country: 'US' | null): string | null {
  const typed = trimBlanks(text.replaceAll(INVISIBLE, ''));
  if (country === null && !typed.startsWith('+')) return null;
  const parsed = parsePhoneNumberFromString(typed, {
    extract: false,
    ...(country !== null && { defaultCountry: country }),
  });
  return parsed === undefined || !parsed.isValid() || parsed.ext !== undefined ? null : parsed.number;
}

/** Formats an E.164 number for readers in the United States: (202) 555-0143. Other numbers keep their country code. */
export function formatPhone(number: string): string {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return number;
  return parsed.countryCallingCode === '1' ? parsed.formatNational() : parsed.formatInternational();
}
