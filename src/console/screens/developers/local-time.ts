import type { Language } from '../../../pages/texts/language.ts';
import type { Location } from '../../../practices/location.entity.ts';

/*
 * Times of the practice's zone: that of its oldest active location. Forms have days and times without a zone.
 */

/** Zone of a practice without a location. */
const DEFAULT_ZONE = 'UTC';

const MINUTE_MS = 60_000;

/** A format takes as much memory and time as a thousand uses of it, so each is made once. Zones are those of locations. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the practice's zone, such as `America/Chicago`. */
export function zoneOf(locations: readonly Location[]): string {
  const oldestFirst = locations.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return (oldestFirst.find(({ active }) => active) ?? oldestFirst[0])?.timeZone ?? DEFAULT_ZONE;
}

/** Returns a moment with seconds in a zone, such as `Jun 15, 2030, 7:00:00 AM`. */
export function localText(at: Date, language: Language, timeZone: string): string {
  return format(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(at);
}

/** Returns a moment as the field of a form has it, such as `2030-06-15T07:00`. */
export function localField(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 16);
}

/**
 * Reads `2030-06-15T07:00` as a time of the zone; null for other texts. A time that comes twice when clocks go back is the
 * first one. A time that clocks skip counts as if they had not gone forward.
 */
export function readLocalTime(text: string, timeZone: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const asUtc = new Date(`${text}Z`);
  // Date.parse rolls 30 February over into March.
  if (Number.isNaN(asUtc.getTime()) || asUtc.getTime() < 0 || !asUtc.toISOString().startsWith(text)) return null;
  const earlier = offsetMs(new Date(asUtc.getTime() - 86_400_000), timeZone);
  const moment = new Date(asUtc.getTime() - earlier);
  if (offsetMs(moment, timeZone) === earlier) return moment;
  const other = new Date(asUtc.getTime() - offsetMs(moment, timeZone));
  return localField(other, timeZone) === text.slice(0, 16) ? other : moment;
}

/** Reads `2030-06-15` and returns the end of that day in the zone; null for other texts. */
export function readEndOfDay(text: string, timeZone: string): Date | null {
  const noon = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T12:00:00Z`) : null;
  if (noon === null || Number.isNaN(noon.getTime()) || !noon.toISOString().startsWith(text)) return null;
  const nextDay = new Date(noon.getTime() + 86_400_000).toISOString().slice(0, 10);
  return readLocalTime(`${nextDay}T00:00`, timeZone);
}

/** Returns the difference between a zone and UTC at a moment, positive east of Greenwich. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = format('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

function format(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, options);
  formats.set(key, made);
  return made;
}
