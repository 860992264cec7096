import { addDays, daysBetween, startOfDay } from '../../../base/time/zoned-time.ts';
import type { Totals } from '../../../payment-links/billing/daily-totals.ts';
import type { StateFilter } from '../../../payment-links/billing/payment-filter.ts';
import * as ui from '../../render/blocks.ts';
import { barChart } from '../../render/chart.ts';
import type { MemberVisit } from '../../routing/visit.ts';
import { pathWith } from '../filters.ts';
import type { Formats } from '../formats.ts';
import type { DayRange, FilterInput } from './input.ts';

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

export const ALL_TOTALS = Object.keys(LISTS) as TotalName[];

/** Totals that the chart has. */
export const CHART_TOTALS = ['receivedCents', 'refundedCents', 'takenBackCents'] as const;

/** A line of a table, with the filter of its payments. */
export interface Line<Name extends TotalName = TotalName> {
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
  /** Name of the table, or the id of the heading that names it. */
  label: string | { id: string };
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
  const { columns } = visit.t.payments.dailyTotals;
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
      ...names.map((name): ui.Column<Line<Name>> => [columns[name], cellOf(name), 'amount']),
    ],
    { className: 'totals', total },
  );
}

/** Draws what came in and went out on each day, with more below. */
export function totalsChart(
  visit: MemberVisit,
  { money, shortDay, timeZone }: Formats,
  byDay: readonly DayTotals<(typeof CHART_TOTALS)[number]>[],
  below?: ui.Block,
): ui.Block {
  const { dailyTotals: t } = visit.t.payments;
  const named = [byDay[0], byDay[Math.floor(byDay.length / 2)], byDay.at(-1)].filter((one) => one !== undefined);
  const received = byDay.map(({ totals }) => totals.receivedCents);
  const returned = byDay.map(({ totals }) => totals.refundedCents + totals.takenBackCents);
  const chart = {
    title: t.chart,
    help: t.chartHelp,
    money,
    labels: [...new Set(named)].map(({ day }) => shortDay(startOfDay(day, timeZone))),
    series: [
      { name: t.columns.receivedCents, look: 'received', cents: received },
      { name: t.returned, look: 'returned', cents: returned },
    ],
  };
  return barChart(chart, below);
}

/** Returns the address of the payments of a filter. */
export function paymentsPath(visit: MemberVisit, filter: Partial<FilterInput>): string {
  return pathWith(visit.modePath('/payments'), { ...filter });
}
