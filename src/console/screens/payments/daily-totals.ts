import { addDays, parseDay } from '../../../base/time/zoned-time.ts';
import { readDailyTotals, sumOf } from '../../../payment-links/billing/daily-totals.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { wordOf } from '../../texts/texts.ts';
import { isFiltered, pathWith, typedTexts } from '../filters.ts';
import { readPlaces } from '../places.ts';
import { type DayRange, isRange } from './input.ts';
import { ALL_TOTALS, type Line, linesOf, startsOf, totalsChart, totalsTable } from './totals.ts';

/** A quarter of a year. Totals are computed at each request, and a chart of more days cannot be read. */
const MAX_DAYS = 92;

export async function showDailyTotals(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const { dailyTotals: t, exported, filter, methods, payment } = visit.t.payments;
  const { labels } = visit.t;
  const { formats, nameOf } = await readPlaces(visit);
  const month = monthOf(formats.isoDay(scope.clock.now()));
  const typed = typedTexts(query, ['from', 'to']);
  const asked = !isFiltered(typed) ? month : rangeOf(typed);
  const range = asked ?? month;
  const starts = startsOf(formats, range);
  const rows = await readDailyTotals(scope, viewerOf(visit), starts);
  const ofDays = Map.groupBy(rows, ({ day }) => day);
  const byDay = starts.slice(1).map((_, index) => {
    return { day: addDays(range.from, index), totals: sumOf(ofDays.get(index) ?? []) };
  });
  const total = { name: t.total, totals: sumOf(rows), filter: { ...range } };
  const grouped = (
    key: 'locationId' | 'paymentMethodType',
    filter: 'location' | 'method',
    nameOf: (value: string) => string,
  ): Line[] =>
    [...Map.groupBy(rows, (row) => row[key])]
      .map(([value, group]) => ({ name: nameOf(value), totals: sumOf(group), filter: { ...range, [filter]: value } }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const path = visit.modePath('/reconciliation');
  const previous = pathWith(path, monthOf(addDays(monthOf(range.from).from, -1)));
  const following = pathWith(path, monthOf(addDays(monthOf(range.to).to, 1)));
  const required = { type: 'date', required: true };
  const mayExport = mayDo(member, 'payments.export') && rows.length > 0;
  const tableOf = (id: string, title: string, first: string, lines: readonly Line[]) => [
    ui.heading(title, id),
    totalsTable(visit, formats, { names: ALL_TOTALS, label: { id }, first, lines, total }),
  ];
  const byLocation = grouped('locationId', 'location', nameOf);
  const byMethod = grouped('paymentMethodType', 'method', (name) => wordOf(methods, name));
  return ui.page(t.title, { error: asked === null ? t.tooLong : undefined }, [
    ui.lead(`${t.lead(formats.zone)} ${t.help}`),
    ui.form(path, { method: 'get', className: 'card filter', button: t.button }, [
      ui.field('from', filter.from, range.from, required),
      ui.field('to', filter.to, range.to, required),
    ]),
    ui.paging([previous, t.previous], [following, t.following], [visit.modePath('/payments'), labels.back]),
    mayExport && ui.download(visit.modePath('/payments/export'), { ...range }, exported),
    rows.length === 0
      ? ui.text(t.empty, { class: 'card' })
      : [
          totalsChart(visit, formats, byDay),
          total.totals.unknownFees > 0 && ui.text(t.unknownFees(total.totals.unknownFees), { class: 'hint' }),
          tableOf('by-day', t.byDay, labels.day, linesOf(formats, byDay)),
          tableOf('by-location', t.byLocation, labels.location, byLocation),
          tableOf('by-method', t.byMethod, payment.facts.method, byMethod),
        ],
  ]);
}

/** Reads the range; null if it is none, or too long. */
function rangeOf({ from, to }: DayRange): DayRange | null {
  const range = { from: parseDay(from), to: parseDay(to) };
  if (range.from === null || range.to === null) return null;
  return isRange({ from, to }, MAX_DAYS) ? { from, to } : null;
}

/** Returns the first and the last day of a day's month. */
export function monthOf(day: string): DayRange {
  const from = `${day.slice(0, 7)}-01`;
  // The 32nd day after the first of a month lies in the next one.
  const following = `${addDays(from, 31).slice(0, 7)}-01`;
  return { from, to: addDays(following, -1) };
}
