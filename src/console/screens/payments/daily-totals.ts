import {
  addTotals,
  type DayTotals,
  listMovements,
  type Movement,
  type MovementFilter,
  readTotals,
  type Totals,
  type TotalsRow,
  totalsByDay,
} from '../../../payment-links/billing/movements.ts';
import { addDays, isRange, monthRange, parseDay, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import * as ui from '../../../web/blocks.ts';
import { barChart } from '../../../web/chart.ts';
import { MOVEMENTS, PAYMENT_METHODS, wordOf } from '../../render/labels.ts';
import { auditListView } from '../../routing/patient-views.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { exportForm, isFiltered, pathWith, typedTexts, viewerAt } from '../filters.ts';
import { type Formats, type PracticeView, readPracticeView } from '../formats.ts';
import { type PaymentInput, patientLink, readInput } from './list.ts';

const COLUMNS = {
  payments: 'Payments',
  receivedCents: 'Received',
  feeCents: 'Fees',
  refundedCents: 'Refunds',
  takenBackCents: 'Taken back',
  netCents: 'Net',
} satisfies Record<Exclude<keyof Totals, 'unknownFees'>, string>;

const ALL_TOTALS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** A quarter of a year. Totals are computed at each request, and a chart of more days cannot be read. */
const MAX_DAYS = 92;

const RULES =
  'A payment counts once it has settled, on the day when the patient paid, and so does its fee. Refunds, and amounts that banks took ' +
  'back, count on their own day. A dispute takes nothing until it is lost. Net is the sum.';

const MAX_MOVEMENTS = 500;

export const NO_MOVEMENT = ui.text('No money moved in these days.', { class: 'card' });

/** Shows the totals of each day, and the movements of a single day. */
export async function showDailyTotals(visit: MemberVisit): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, query, formats, locationField } = view;
  const input = typedTexts(query, ['from', 'to']);
  const isValid = parseDay(input.from) && parseDay(input.to) && isRange(input, MAX_DAYS);
  const isWrong = isFiltered(input) && !isValid;
  const range = isValid ? input : monthRange(formats.isoDay(scope.clock.now()));
  const { location, method } = readInput(view);
  const filter = { ...range, location, method };
  const movementFilter = { ...range, timeZone: formats.timeZone, method: method || null };
  const rows = await readTotals(scope, viewerAt(visit, location), movementFilter);
  const path = visit.modePath('/reconciliation');
  const monthPath = (day: string) => pathWith(path, { ...filter, ...monthRange(day) });
  const days = [...new Set([range.from, range.to])].map((day) => formats.day(startOfDay(day, formats.timeZone)));
  const error = isWrong ? 'Choose two days, the first before the last, with at most 92 days.' : undefined;
  return ui.page('Reconciliation', { error }, [
    ui.group(
      'listing',
      ui.text(ui.mark('strong', days.join(' to '))),
      ui.paging(
        [monthPath(addDays(monthRange(range.from).from, -1)), 'Previous month'],
        [monthPath(addDays(monthRange(range.to).to, 1)), 'Next month'],
        [visit.modePath('/payments'), 'Back'],
      ),
      rows.length > 0 && exportForm(visit, '/payments', filter, 'Download these movements (CSV)'),
      ui.filterForm(path, isWrong || isFiltered({ location, method }), [
        ui.field('from', 'From', range.from, { type: 'date', required: true }),
        ui.field('to', 'To', range.to, { type: 'date', required: true }),
        locationField(location),
        ui.field('method', 'Method', method, { options: Object.entries(PAYMENT_METHODS), all: 'All' }),
      ]),
    ),
    rows.length === 0 ? NO_MOVEMENT : totalsBlocks(view, rows, filter),
    range.from === range.to && rows.length > 0 && (await movementsBlock(view, movementFilter, filter)),
    ui.text(`${formats.caption} ${RULES}`, { class: 'hint' }),
  ]);
}

type RangeInput = Omit<PaymentInput, 'state'>;

function totalsBlocks(view: PracticeView, rows: readonly TotalsRow[], input: RangeInput): ui.Content {
  const { formats, locationName } = view;
  const byDay = totalsByDay(rows, input);
  const groupTotals = (key: 'locationId' | 'paymentMethodType', readName: (value: string) => string) =>
    [...Map.groupBy(rows, (row) => readName(row[key]))]
      .map(([name, group]) => ({ name, totals: addTotals(group) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const otherLines = {
    Location: groupTotals('locationId', locationName),
    Method: groupTotals('paymentMethodType', (name) => wordOf(PAYMENT_METHODS, name)),
  };
  const tables = { Day: listLines(view, byDay, input), ...otherLines };
  const { unknownFees } = addTotals(rows);
  return [
    byDay.length > 1 && totalsChart(formats, byDay),
    unknownFees > 0 &&
      ui.text(`The fee of ${unknownFees} payments is not known yet. Net is without it.`, { class: 'hint' }),
    Object.entries(tables).map(([column, lines]) => {
      const label = `By ${column.toLowerCase()}`;
      return (column === 'Day' || lines.length > 1) && [ui.heading(label), totalsTable(formats, label, column, lines)];
    }),
  ];
}

/** Shows the movements of a day. They name patients, so that the view is on record. */
async function movementsBlock(view: PracticeView, filter: MovementFilter, input: RangeInput): Promise<ui.Content> {
  const { money, time, method, caption } = view.formats;
  const movements = await listMovements(view.scope, viewerAt(view, input.location), filter, null, MAX_MOVEMENTS);
  await auditListView(view, 'payments', input, movements.length);
  const columns: (ui.Column<Movement> | null)[] = [
    ['Patient', patientLink(view)],
    ['Movement', ({ kind }) => MOVEMENTS[kind]],
    ['Amount', ({ movedCents }) => (movedCents === null ? 'Not known yet' : money(movedCents)), 'amount'],
    ['Time', ({ movedAt }) => time(movedAt), 'moment'],
    ['Method', method],
    view.locationColumn,
  ];
  return [
    ui.heading('Movements'),
    ui.table('Movements', movements, columns, { caption }),
    movements.length === MAX_MOVEMENTS && ui.text('These are the newest 500. The file has all.', { class: 'hint' }),
  ];
}

interface Line {
  name: string;
  totals: Totals;
  path?: string;
}

/** Returns the lines of the days on which money moved. Each leads to its movements. */
export function listLines(
  { modePath, formats }: PracticeView,
  byDay: readonly DayTotals[],
  filter: object = {},
): Line[] {
  const movedDays = byDay.filter(({ totals }) => Object.values(totals).some((total) => total !== 0));
  return movedDays.map(({ day, totals }) => ({
    name: formats.day(startOfDay(day, formats.timeZone)),
    totals,
    path: pathWith(modePath('/reconciliation'), { ...filter, from: day, to: day }),
  }));
}

/** Shows totals in a table, with their sums below. */
export function totalsTable({ money }: Formats, label: string, first: string, lines: readonly Line[]): ui.Block {
  const formatTotal = (name: keyof typeof COLUMNS, cents: number) => (name === 'payments' ? `${cents}` : money(cents));
  const columns: ui.Column<Line>[] = [
    [first, ({ name, path }) => (path === undefined ? ui.own(name) : ui.link(path, ui.own(name)))],
    ...ALL_TOTALS.map((name): ui.Column<Line> => {
      return [COLUMNS[name], ({ totals }) => (totals[name] === 0 ? '' : formatTotal(name, totals[name])), 'amount'];
    }),
  ];
  const total = { name: 'Total', totals: addTotals(lines.map(({ totals }) => totals)) };
  return ui.table(label, lines, columns, { total });
}

/** Draws what came in and went out on each day, with more below. */
export function totalsChart(
  { money, shortDay, timeZone }: Formats,
  byDay: readonly DayTotals[],
  below?: ui.Block,
): ui.Block {
  const received = byDay.map(({ totals }) => totals.receivedCents);
  const returned = byDay.map(({ totals }) => totals.refundedCents + totals.takenBackCents);
  const chart = {
    title: 'Received, and refunded or taken back, by day',
    help: 'The table below has the same figures.',
    money,
    columns: byDay.map(({ day }) => shortDay(startOfDay(day, timeZone))),
    series: [
      { name: 'Received', look: 'received', cents: received },
      { name: 'Refunds and amounts taken back', look: 'returned', cents: returned },
    ],
  };
  return barChart(chart, below);
}

/** Returns the address of the payments of a filter. */
export function paymentsPath(visit: MemberVisit, filter: Partial<PaymentInput>): string {
  return pathWith(visit.modePath('/payments'), { ...filter });
}
