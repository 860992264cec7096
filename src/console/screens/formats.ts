import { declineWords } from '../../patient-pages/texts/declines.ts';
import { formatAmount, formatDay, formatMethod, formatMoment } from '../../patient-pages/texts/formats.ts';
import { TEXTS as PAGE_TEXTS } from '../../patient-pages/texts/texts.ts';
import type { ListedPayment } from '../../payment-links/billing/payments.ts';
import { dayIn, timeFormat, zoneName } from '../../platform/base/time/zoned-time.ts';
import { chooseTimeZone, listLocations } from '../../practices/find.ts';
import * as ui from '../../web/blocks.ts';
import type { MemberVisit, PersonVisit } from '../routing/visit.ts';

export type Formats = ReturnType<typeof createFormats>;

type PaidBy = Pick<ListedPayment, 'paymentMethodType' | 'paymentMethodBrand' | 'paymentMethodLast4'>;

const texts = PAGE_TEXTS.en;
const { locale } = texts.language;

/** Returns the formats in a zone: on a page of one link or payment the zone of its location, on all others the practice's zone. */
export function createFormats(timeZone: string) {
  const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone } as const;
  const write = (at: Date | string, rest: Intl.DateTimeFormatOptions) =>
    timeFormat(locale, { ...day, ...rest }).format(new Date(at));
  const second = (at: Date | string) =>
    write(at, { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
  /** Such as `2030-06-15T12:00:00Z`, in a separate line. */
  const utc = (at: Date | string) => [
    ui.BREAK,
    ui.mark('code', `${new Date(at).toISOString().slice(0, 19)}Z`, 'quiet'),
  ];
  return {
    timeZone,
    /** Such as `Times: Central (Chicago).` Captions of tables with days or times have it. */
    caption: `Times: ${zoneName(timeZone)}.`,
    /** Such as `$125.50`. */
    money: (cents: number) => formatAmount(texts, cents),
    /** Such as `June 15, 2030`. */
    day: (at: Date) => formatDay(texts, at, timeZone),
    /** Such as `Jun 15, 2030`, in a table. */
    briefDay: (at: Date) => write(at, {}),
    /** Such as `Jun 15`, where the year is clear. */
    shortDay: (at: Date) => timeFormat(locale, { month: 'short', day: 'numeric', timeZone }).format(at),
    /** Such as `June 15, 2030 at 7:00 AM CDT`, where no caption names the zone. */
    moment: (at: Date) => formatMoment(texts, at, timeZone),
    /** Such as `Jun 15, 2030, 7:00 AM`, below a caption. */
    time: (at: Date | string) => ui.moment(at, write(at, { hour: 'numeric', minute: '2-digit' })),
    /** Such as `Jun 15, 2030, 7:00:00 AM CDT`, for developers. */
    second,
    /** The same, and below it the moment in UTC. */
    exact: (at: Date | string) => [ui.moment(at, second(at)), ...utc(at)],
    utc,
    /** Such as `2030-06-15`. */
    isoDay: (at: Date) => dayIn(at, timeZone),
    /** Such as `1,250`. */
    count: (number: number) => new Intl.NumberFormat(locale).format(number),
    /** Such as `Visa, ending in 4242`. */
    method: (paid: PaidBy) => formatMethod(texts, paid),
    /** The reason of a decline, which ends a sentence. */
    decline: (code: string) => declineWords(texts, code).staff,
  };
}

/** Returns the formats in the zone of the path's practice. On a page of a person, it is the zone of the person's first practice. */
export async function readPracticeFormats(visit: PersonVisit & Partial<Pick<MemberVisit, 'member'>>): Promise<Formats> {
  const { practiceId = '' } = visit.member ?? visit.session.memberships[0] ?? {};
  return createFormats(chooseTimeZone(await listLocations(visit.scope, practiceId)));
}

export type PracticeView = Awaited<ReturnType<typeof readPracticeView>>;

/** Adds to the request the locations that the person sees, by name, and the formats in the zone of the practice. */
export async function readPracticeView(visit: MemberVisit) {
  const all = await listLocations(visit.scope, visit.member.practiceId);
  const locations = all.filter(({ id }) => visit.member.locationIds?.includes(id) ?? true);
  const activeLocations = locations.filter(({ active }) => active);
  const options = locations.map(({ id, name }): ui.Option => [id, name]);
  /** Returns the name of a location; for null, that all are meant. Returns an unknown id as it is. */
  const locationName = (id: string | null) =>
    id === null ? 'All locations' : (locations.find((location) => location.id === id)?.name ?? id);
  const column = ['Location', ({ locationId }: { locationId: string }) => ui.own(locationName(locationId))] as const;
  return {
    ...visit,
    formats: createFormats(chooseTimeZone(all)),
    locations,
    activeLocations,
    locationName,
    /** Field of a filter, and column of a list. Null if there is no choice. */
    locationField: (id: string) =>
      locations.length > 1 ? ui.field('location', 'Location', id, { options, all: 'All' }) : null,
    locationColumn: locations.length > 1 ? column : null,
    activeLocationOptions: activeLocations.map(({ id, name, city }): ui.Option => [id, `${name}, ${city}`]),
  };
}
