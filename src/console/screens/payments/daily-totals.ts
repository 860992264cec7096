import { addDays, dayNamed, daysBetween, startOfDay } from '../../../base/time/zoned-time.ts';
import { sumOf, type Totals, totalsOf } from '../../../payment-links/billing/daily-totals.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { viewerOf, visibleLocations } from '../../routing/visit.ts';
import { wordOf } from '../../texts/texts.ts';
import { isFiltered, pathWith, textsNamed } from '../filters.ts';
import { type Formats, practiceFormats } from '../formats.ts';
import { type DayRange, isRange } from './input.ts';

/** A quarter of a year. Totals are computed at each request, and a chart of more days cannot be read. */
const MAX_DAYS = 92;

/** Units of the chart: each day has a column, and the highest bar has the whole height. */
const CHART = { dayWidth: 12, receivedWidth: 6, returnedWidth: 4, height: 120 };

export async function showDailyTotals(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const { dailyTotals: t, exported, filter, methods, payment } = visit.t.payments;
  const formats = await practiceFormats(visit);
  const month = monthOf(formats.isoDay(scope.clock.now()));
  const typed = textsNamed(query, ['from', 'to']);
  const asked = !isFiltered(typed) ? month : rangeOf(typed);
  const range = asked ?? month;
  const days = Array.from({ length: daysBetween(range.from, range.to) }, (_, index) => addDays(range.from, index));
  const starts = [...days, addDays(range.to, 1)].map((day) => startOfDay(day, formats.timeZone));
  const rows = await totalsOf(scope, viewerOf(visit), starts);
  const locations = new Map((await visibleLocations(visit)).map(({ id, name }) => [id, name]));
  const byDay = days.map((day, index) => ({ name: day, totals: sumOf(rows.filter((row) => row.day === index)) }));
  const grouped = <Key extends 'locationId' | 'paymentMethodType'>(key: Key, nameOf: (value: string) => string) =>
    [...Map.groupBy(rows, (row) => row[key])]
      .map(([value, group]) => lineOf(formats, nameOf(value), sumOf(group)))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const total = sumOf(rows);
  const path = visit.modePath('/reconciliation');
  const previous = pathWith(path, monthOf(addDays(monthOf(range.from).from, -1)));
  const following = pathWith(path, monthOf(addDays(monthOf(range.to).to, 1)));
  const required = { type: 'date', required: true };
  const mayExport = mayDo(member, 'payments.export') && rows.length > 0;
  const totals = lineOf(formats, t.total, total);
  const tableOf = (id: string, title: string, first: string, lines: readonly Line[]) =>
    ui.part('/payments/totals', { id, title, first, lines, total: totals });
  const lines = byDay.map(({ name, totals }) => lineOf(formats, name, totals));
  const byLocation = grouped('locationId', (id) => locations.get(id) ?? id);
  const byMethod = grouped('paymentMethodType', (name) => wordOf(methods, name));
  return ui.page(t.title, { error: asked === null ? t.tooLong : undefined }, [
    ui.lead(`${t.lead(formats.zone)} ${t.help}`),
    ui.form(path, { method: 'get', className: 'card filter', button: t.button }, [
      ui.field('from', filter.from, range.from, required),
      ui.field('to', filter.to, range.to, required),
    ]),
    ui.paging([previous, t.previous], [following, t.following], [visit.modePath('/payments'), payment.back]),
    mayExport && ui.download(visit.modePath('/payments/export'), { ...range }, exported),
    rows.length === 0
      ? ui.text(t.empty, { class: 'card' })
      : [
          ui.part('/payments/chart', chartOf(byDay)),
          total.unknownFees > 0 && ui.text(t.unknownFees(total.unknownFees), { class: 'hint' }),
          tableOf('by-day', t.byDay, t.day, lines),
          tableOf('by-location', t.byLocation, payment.facts.location, byLocation),
          tableOf('by-method', t.byMethod, payment.facts.method, byMethod),
        ],
  ]);
}

/** Reads the range; null if it is none, or too long. */
function rangeOf({ from, to }: DayRange): DayRange | null {
  const range = { from: dayNamed(from), to: dayNamed(to) };
  if (range.from === null || range.to === null) return null;
  return isRange({ from, to }, MAX_DAYS) ? { from, to } : null;
}

/** Returns the first and the last day of a day's month. */
function monthOf(day: string): DayRange {
  const from = `${day.slice(0, 7)}-01`;
  // The 32nd day after the first of a month lies in the next one.
  const following = `${addDays(from, 31).slice(0, 7)}-01`;
  return { from, to: addDays(following, -1) };
}

interface Line {
  name: string;
  payments: number;
  amounts: readonly string[];
}

function lineOf({ money }: Formats, name: string, totals: Totals): Line {
  const { receivedCents, processingCents, refundedCents, takenBackCents, feeCents, netCents } = totals;
  const amounts = [receivedCents, processingCents, refundedCents, takenBackCents, feeCents, netCents];
  return { name, payments: totals.payments, amounts: amounts.map((cents) => (cents === 0 ? '–' : money(cents))) };
}

/** Returns the bars of the chart. All have whole units, so that the page stays short. */
function chartOf(byDay: readonly { name: string; totals: Totals }[]) {
  const { dayWidth, receivedWidth, returnedWidth, height } = CHART;
  const returnedOf = ({ refundedCents, takenBackCents }: Totals) => refundedCents + takenBackCents;
  const highest = Math.max(1, ...byDay.map(({ totals }) => Math.max(totals.receivedCents, returnedOf(totals))));
  const barOf = (kind: string, x: number, width: number, cents: number) => {
    const barHeight = cents === 0 ? 0 : Math.max(1, Math.round((cents / highest) * height));
    return { kind, x, width, y: height - barHeight, height: barHeight };
  };
  const bars = byDay.flatMap(({ totals }, index) => [
    barOf('received', index * dayWidth, receivedWidth, totals.receivedCents),
    barOf('returned', index * dayWidth + receivedWidth, returnedWidth, returnedOf(totals)),
  ]);
  return { width: byDay.length * dayWidth, height, bars: bars.filter((bar) => bar.height > 0) };
}
