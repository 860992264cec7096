import { dayIn } from '../../../base/time/zoned-time.ts';
import { formatAmount, formatDay, formatMoment } from '../../../pages/texts/formats.ts';
import type { Language } from '../../../pages/texts/language.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import { type MemberVisit, type Mode, modeOf, modePath } from '../../routing/route.ts';

/** Returns the path of a page of payments in the mode of the request. */
export function paymentsPath(visit: MemberVisit, rest = ''): string {
  return modePath(visit.member, modeOf(visit), `/payments${rest}`);
}

/** Returns the path of a link's page. */
export function linkPath(visit: MemberVisit, linkId: string): string {
  return modePath(visit.member, modeOf(visit), `/links/${linkId}`);
}

/** Formats of one request: its language, and a time zone. That of the location for a page of one payment, else that of the practice. */
export interface Formats {
  timeZone: string;
  language: Language;
  mode: Mode;
  /** Such as `$125.50`. */
  money: (cents: number) => string;
  /** Such as `June 15, 2030`. */
  day: (at: Date) => string;
  /** Such as `June 15, 2030 at 7:00 AM CDT`. */
  moment: (at: Date) => string;
  /** Such as `2030-06-15`. */
  isoDay: (at: Date) => string;
}

/** Returns the formats of a request. */
export function formatsOf(visit: MemberVisit, timeZone: string): Formats {
  const texts = PAGE_TEXTS[visit.language];
  return {
    timeZone,
    language: visit.language,
    mode: modeOf(visit),
    money: (cents) => formatAmount(texts, cents),
    day: (at) => formatDay(texts, at, timeZone),
    moment: (at) => formatMoment(texts, at, timeZone),
    isoDay: (at) => dayIn(at, timeZone),
  };
}
