import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Returns a telephone number with + and country code in E.164; null if it is invalid or has an extension. */
export function parsePhone(text: string): string | null {
  const parsed = text.startsWith('+') ? parsePhoneNumberFromString(text, { extract: false }) : undefined;
  return parsed === undefined || !parsed.isValid() || parsed.ext !== undefined ? null : parsed.number;
}

/** Formats an E.164 number for readers in the United States: (202) 555-0143. Other numbers keep their country code. */
export function formatPhone(number: string): string {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return number;
  return parsed.countryCallingCode === '1' ? parsed.formatNational() : parsed.formatInternational();
}
