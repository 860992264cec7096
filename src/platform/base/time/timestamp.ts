/**
 * RFC 3339, and how SDKs write it: a blank for the `T`, a blank before the zone, `UTC`, and an offset without its
 * colon. A `+` that was not percent-encoded arrives as a blank.
 */
const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?) ?(?:[Zz]|UTC|([ +-])([01]\d|2[0-3]):?([0-5]\d))$/;

const FINER = /\.\d{3}\d*[1-9]/;

/**
 * Returns null for a text without a zone, a leap second, a day that does not exist, and a UTC year outside of 1 to
 * 9999. A fraction of a millisecond is cut.
 */
export function parseTimestamp(text: string): Date | null {
  const parts = TIMESTAMP.exec(text);
  if (parts === null) return null;
  const [, year, month, day, time, sign, hours, minutes] = parts;
  // Date rolls 30 February over into March, so the day is checked on its own.
  const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(day) < 1 || Number(day) > lastDay) return null;
  const zone = hours === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
  const at = new Date(`${year}-${month}-${day}T${time}${zone}`);
  const utcYear = at.getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999 ? at : null;
}

/** Reads a time that the contract's schema has accepted. @throws Error for another text */
export function readTimestamp(text: string): Date {
  const at = parseTimestamp(text);
  if (at === null) throw new Error('the text is no timestamp of the contract');
  return at;
}

/** Rounds a fraction of a millisecond up. Stored times have whole ones, so `>=` and `<` give the same as with the exact time. */
export function timeBound(text: string): Date {
  return new Date(readTimestamp(text).getTime() + (FINER.test(text) ? 1 : 0));
}
