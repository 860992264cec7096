import { dayIn } from '../../../base/time/zoned-time.ts';
import { formatAmount, formatDay, formatMoment } from '../../../pages/texts/formats.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import type { MemberVisit } from '../../routing/route.ts';

export type Formats = ReturnType<typeof formatsOf>;

/** Returns the formats of a request in a time zone: that of the location for a page of one payment, else that of the practice. */
export function formatsOf(visit: MemberVisit, timeZone: string) {
  const texts = PAGE_TEXTS[visit.language];
  return {
    timeZone,
    /** Such as `$125.50`. */
    money: (cents: number) => formatAmount(texts, cents),
    /** Such as `June 15, 2030`. */
    day: (at: Date) => formatDay(texts, at, timeZone),
    /** Such as `June 15, 2030 at 7:00 AM CDT`. */
    moment: (at: Date) => formatMoment(texts, at, timeZone),
    /** Such as `2030-06-15`. */
    isoDay: (at: Date) => dayIn(at, timeZone),
  };
}
