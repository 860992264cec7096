import { readDailyTotals, sumOf, type Totals } from '../../../payment-links/billing/daily-totals.ts';
import type { StateFilter } from '../../../payment-links/billing/payment-filter.ts';
import { addDays, daysBetween, parseDay, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { barChart } from '../../render/chart.ts';
import { PAYMENT_METHODS, wordOf } from '../../render/labels.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { isFiltered, pathWith, typedTexts } from '../filters.ts';
import type { Formats } from '../formats.ts';
import { readPlaces } from '../places.ts';
import { type DayRange, type FilterInput, isRange } from './input.ts';

const COLUMNS = {
  payments: 'Payments',
  receivedCents: 'Received',
  processingCents: 'Processing',
  refundedCents: 'Refunds',
  takenBackCents: 'Taken back',
  feeCents: 'Fees',
  netCents: 'Net',
} satisfies Record<Exclude<keyof Totals, 'unknownFees'>, string>;

/** A quarter of a year. Totals are computed at each request, and a chart of more days cannot be read. */
const MAX_DAYS = 92;

/** The filter of the list of payments to which each total leads; null for all, and undefined without a list. */
const LISTS = {
  payments: null,
  receivedCents: 'received',
  processingCents: 'processing',
  refundedCents: 'refunded_then',
  takenBackCents: 'taken_back_then',
  feeCents: undefined,
  netCents: undefined,
} as const satisfies Record<Exclude<keyof Totals, 'unknownFees'>, StateFilter | null | undefined>;

type TotalName = keyof typeof LISTS;

const ALL_TOTALS = Object.keys(LISTS) as TotalName[];

/** Totals that the chart has. */
export const CHART_TOTALS = ['receivedCents', 'refundedCents', 'takenBackCents'] as const;

export async function showDailyTotals(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
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
  const total = { name: 'Total', totals: sumOf(rows), filter: { ...range } };
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
  const tableOf = (label: string, first: string, lines: readonly Line[]) => [
    ui.heading(label),
    totalsTable(visit, formats, { names: ALL_TOTALS, label, first, lines, total }),
  ];
  const byLocation = grouped('locationId', 'location', nameOf);
  const byMethod = grouped('paymentMethodType', 'method', (name) => wordOf(PAYMENT_METHODS, name));
  return ui.page(
    'Reconciliation',
    { error: asked === null ? 'Choose two days, the first before the last, with at most 92 days.' : undefined },
    [
      ui.lead(
        `What came in and went out, by day. ${formats.caption} ${
          'Payments count on the day when the patient paid. Refunds, and amounts that banks took back, count on their own day. ' +
          'Net is what was received, without refunds, amounts taken back, and fees.'
        }`,
      ),
      ui.form(path, { method: 'get', className: 'card filter', button: 'Show' }, [
        ui.field('from', 'From', range.from, required),
        ui.field('to', 'To', range.to, required),
      ]),
      ui.paging([previous, 'Previous month'], [following, 'Next month'], [visit.modePath('/payments'), 'Back']),
      mayExport && ui.download(visit.modePath('/payments/export'), { ...range }, 'Download these payments (CSV)'),
      rows.length === 0
        ? ui.text('Nothing was paid or refunded in these days.', { class: 'card' })
        : [
            totalsChart(formats, byDay),
            total.totals.unknownFees > 0 &&
              ui.text(`The fee of ${total.totals.unknownFees} payments is not known yet. Net is without it.`, {
                class: 'hint',
              }),
            tableOf('By day', 'Day', linesOf(formats, byDay)),
            tableOf('By location', 'Location', byLocation),
            tableOf('By method', 'Method', byMethod),
          ],
    ],
  );
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

/** A line of a table, with the filter of its payments. */
interface Line<Name extends TotalName = TotalName> {
  name: string;
  totals: Readonly<Record<Name, number>>;
  filter: Partial<FilterInput>;
}

/** Totals of a day in the time zone of the practice. */
export interface DayTotals<Name extends TotalName = TotalName> {
  day: string;
  totals: Readonly<Record<Name, number>>;
}

/** Returns the moments at which the days of a range start, and its end. */
export function startsOf({ timeZone }: Formats, { from, to }: DayRange): Date[] {
  const count = daysBetween(from, to) + 1;
  return Array.from({ length: count }, (_, index) => startOfDay(addDays(from, index), timeZone));
}

/** Returns the lines of the days on which something was paid or given back. */
export function linesOf<Name extends TotalName>(
  { day: named, timeZone }: Formats,
  byDay: readonly DayTotals<Name>[],
): Line<Name>[] {
  const moved = byDay.filter(({ totals }) => Object.values(totals).some((total) => total !== 0));
  return moved.map(({ day, totals }) => ({
    name: named(startOfDay(day, timeZone)),
    totals,
    filter: { from: day, to: day },
  }));
}

/** Contents of a table of totals. */
interface TotalsTable<Name extends TotalName> {
  names: readonly Name[];
  /** Name of the table. */
  label: string;
  /** Title of the first column. */
  first: string;
  lines: readonly Line<Name>[];
  total: Line<Name>;
}

/** Shows totals in a table. Each leads to its payments. */
export function totalsTable<Name extends TotalName>(
  visit: MemberVisit,
  { money }: Formats,
  { names, label, first, lines, total }: TotalsTable<Name>,
): ui.Block {
  const cellOf =
    (name: Name) =>
    ({ totals, filter }: Line<Name>) => {
      if (totals[name] === 0) return '';
      const text = name === 'payments' ? `${totals[name]}` : money(totals[name]);
      const state = LISTS[name];
      if (state === undefined) return text;
      return ui.link(paymentsPath(visit, { ...filter, state: state ?? '' }), text);
    };
  return ui.table<Line<Name>>(
    label,
    lines,
    [
      [first, ({ name }) => ui.own(name)],
      ...names.map((name): ui.Column<Line<Name>> => [COLUMNS[name], cellOf(name), 'amount']),
    ],
    { className: 'totals', total },
  );
}

/** Draws what came in and went out on each day, with more below. */
export function totalsChart(
  { money, shortDay, timeZone }: Formats,
  byDay: readonly DayTotals<(typeof CHART_TOTALS)[number]>[],
  below?: ui.Block,
): ui.Block {
  const named = [byDay[0], byDay[Math.floor(byDay.length / 2)], byDay.at(-1)].filter((one) => one !== undefined);
  const received = byDay.map(({ totals }) => totals.receivedCents);
  const returned = byDay.map(({ totals }) => totals.refundedCents + totals.takenBackCents);
  const chart = {
    title: 'Received, and refunded or taken back, by day',
    help: 'The table below has the same figures.',
    money,
    labels: [...new Set(named)].map(({ day }) => shortDay(startOfDay(day, timeZone))),
    series: [
      { name: 'Received', look: 'received', cents: received },
      { name: 'Refunds and amounts taken back', look: 'returned', cents: returned },
    ],
  };
  return barChart(chart, below);
}

/** Returns the address of the payments of a filter. */
export function paymentsPath(visit: MemberVisit, filter: Partial<FilterInput>): string {
  return pathWith(visit.modePath('/payments'), { ...filter });
}
