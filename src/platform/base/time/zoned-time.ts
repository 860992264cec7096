/* A day is a text such as `2030-06-15`. Only its start is computed, so days of 23 and 25 hours need no rule. */

const DAY_MS = 86_400_000;

/** A format takes as much memory and time as a thousand uses of it, so each is made once. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Keeps a hostile list of zones from filling the memory. */
const MAX_FORMATS = 128;

export function dayIn(moment: Date, timeZone: string): string {
  return clockIn(moment, timeZone).slice(0, 10);
}

export function clockIn(moment: Date, timeZone: string): string {
  // Swedish writes dates as ISO 8601 does.
  return timeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(moment);
}

/** Writes the moment with its zone, such as `June 15, 2030 at 7:00 AM CDT`. */
export function momentIn(locale: string, moment: Date, timeZone: string): string {
  const day = { year: 'numeric', month: 'long', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  return timeFormat(locale, { ...day, ...time, timeZone }).format(moment);
}

export function timeFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const cachedFormat = FORMATS.get(key);
  if (cachedFormat !== undefined) return cachedFormat;
  if (FORMATS.size >= MAX_FORMATS) FORMATS.clear();
  const format = new Intl.DateTimeFormat(locale, options);
  FORMATS.set(key, format);
  return format;
}

/** A general name is the same in winter and summer. */
const NAMED_AT = Date.UTC(2030, 0);

/** Returns a name such as `Central (Chicago)`. A text that is no zone stays as it is. */
export function zoneName(timeZone: string): string {
  try {
    const parts = timeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' }).formatToParts(NAMED_AT);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
    const place = timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');
    return `${name.replace(/ Time$/, '')} (${place})`;
  } catch {
    return timeZone;
  }
}

/** Returns null if there is no such day between 2000 and 2199. */
export function parseDay(text: string): string | null {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return null;
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? null : text;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Counts both days. Zero or less if the last one is earlier. */
export function daysBetween(first: string, last: string): number {
  return (Date.parse(`${last}T00:00:00.000Z`) - Date.parse(`${first}T00:00:00.000Z`)) / DAY_MS + 1;
}

export type DayRange = Record<'from' | 'to', string>;

export function monthRange(day: string): DayRange {
  const from = `${day.slice(0, 7)}-01`;
  // The 32nd day after the first of a month lies in the next one.
  const following = `${addDays(from, 31).slice(0, 7)}-01`;
  return { from, to: addDays(following, -1) };
}

export function isRange({ from, to }: DayRange, maxDays: number): boolean {
  const days = daysBetween(from, to);
  return days >= 1 && days <= maxDays;
}

export function listDays({ from, to }: DayRange): string[] {
  return Array.from({ length: daysBetween(from, to) }, (_, index) => addDays(from, index));
}

/** Returns 01:00 in some zones, on the day when clocks go forward. */
export function startOfDay(day: string, timeZone: string): Date {
  return momentAt(new Date(`${day}T00:00Z`), timeZone);
}

export function endOfDay(day: string, timeZone: string): Date {
  return new Date(startOfDay(addDays(day, 1), timeZone).getTime() - 1_000);
}

/** Writes the moment as the field of a form has it, such as `2030-06-15T07:00`. */
export function formTimeIn(moment: Date, timeZone: string): string {
  return clockIn(moment, timeZone).slice(0, 16).replace(' ', 'T');
}

/**
 * Reads `2030-06-15T07:00` as a time of the zone; null for other texts. A time that comes twice when clocks go back is the
 * first one. A time that clocks skip counts as if they had not gone forward.
 */
export function parseMoment(text: string, timeZone: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const asUtc = new Date(`${text}Z`);
  // Date.parse rolls 30 February over into March.
  if (Number.isNaN(asUtc.getTime()) || asUtc.getTime() < 0 || !asUtc.toISOString().startsWith(text)) return null;
  return momentAt(asUtc, timeZone);
}

/** Returns the moment at which the zone's clocks first show the time that UTC has at `asUtc`. */
function momentAt(asUtc: Date, timeZone: string): Date {
  const earlier = offsetMs(new Date(asUtc.getTime() - DAY_MS), timeZone);
  const moment = new Date(asUtc.getTime() - earlier);
  if (offsetMs(moment, timeZone) === earlier) return moment;
  const other = new Date(asUtc.getTime() - offsetMs(moment, timeZone));
  return formTimeIn(other, timeZone) === asUtc.toISOString().slice(0, 16) ? other : moment;
}

function offsetMs(moment: Date, timeZone: string): number {
  const wholeSeconds = Math.floor(moment.getTime() / 1_000) * 1_000;
  return Date.parse(`${clockIn(moment, timeZone).replace(' ', 'T')}Z`) - wholeSeconds;
}
