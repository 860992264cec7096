import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** A telephone number with + and country code, as E.164 writes it; null for what is none, or has an extension. */
export function parsePhone(text: string): string | null {
  const parsed = text.startsWith('+') ? parsePhoneNumberFromString(text, { extract: false }) : undefined;
  return parsed === undefined || !parsed.isValid() || parsed.ext !== undefined ? null : parsed.number;
}

/** A number in E.164 as people in the United States read it: (202) 555-0143; those of other countries with their code. */
export function formatPhone(number: string): string {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return number;
  return parsed.countryCallingCode === '1' ? parsed.formatNational() : parsed.formatInternational();
}
