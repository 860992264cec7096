import { ALL_OWED, readOwedSums } from '../../payment-links/billing/list-owed.ts';
import { ACT_REASONS, type ActReason } from '../../payment-links/billing/list-to-act-on.ts';
import { type DayTotals, readTotals, sumOf, totalsByDay } from '../../payment-links/billing/movements.ts';
import { type Overview, readOverview } from '../../payment-links/billing/overview.ts';
import { addDays, type DayRange, daysBetween, monthOf } from '../../platform/base/time/zoned-time.ts';
import { mayDo } from '../model/roles.ts';
import * as ui from '../render/blocks.ts';
import { DEVELOPERS_LEAD, NOTHING_TO_ACT_ON } from '../render/labels.ts';
import { type MemberVisit, type Reply, viewerOf } from '../routing/visit.ts';
import { failingBlock } from './deliveries/failing.ts';
import { type Formats, readPracticeFormats } from './formats.ts';
import { agesOf } from './owed/filter.ts';
import { owedFigures } from './owed/list.ts';
import { linesOf, paymentsPath, totalsChart, totalsTable } from './payments/daily-totals.ts';

const SPANS = {
  today: 'Today',
  week: 'This week',
  month: 'This month',
};

const FORMER_SPANS = {
  today: 'Yesterday',
  week: 'Same days last week',
  month: 'Same days last month',
};

const TO_ACT_ON = {
  open_dispute: 'Open disputes',
  returned_debit: 'Debits returned',
  failed_refund: 'Refunds that failed',
} satisfies Record<ActReason, string>;

/** Days of the chart, today included. */
const CHART_DAYS = 30;

/** Shows what a role does most, and what it has to know: what is owed, what came in, what is wrong. */
export async function showHome(visit: MemberVisit): Promise<Reply> {
  const { member } = visit;
  const trouble = await failingBlock(visit);
  if (!mayDo(member, 'links.view')) {
    const button = ui.link(visit.modePath('/developers'), 'Keys and webhooks', { class: 'button' });
    return ui.page('Overview', {}, [
      trouble,
      ui.lead(DEVELOPERS_LEAD),
      mayDo(member, 'developers.view') && ui.text(button),
    ]);
  }
  const path = visit.modePath('/links');
  return ui.page('Overview', {}, [
    trouble,
    mayDo(member, 'links.create') && ui.text(ui.link(`${path}/new`, 'New link', { class: 'button' }), { class: 'act' }),
    await figuresBlock(visit),
  ]);
}

/** Returns the figures that the person may see: what is owed, and, for people who see payments, what came in and is wrong. */
async function figuresBlock(visit: MemberVisit): Promise<ui.Content> {
  const { scope, member } = visit;
  const viewer = viewerOf(visit);
  const formats = await readPracticeFormats(visit);
  const owed = await readOwedSums(scope, viewer, ALL_OWED, agesOf(visit, formats));
  const owedBlock = ui.section('Owed', [owedFigures(visit, { formats, seen: [] }, owed)]);
  if (!mayDo(member, 'payments.view')) return owedBlock;
  const today = formats.isoDay(scope.clock.now());
  const from = [monthOf(addDays(monthOf(today).from, -1)).from, addDays(today, 1 - CHART_DAYS)].toSorted()[0] ?? today;
  const range = { from, to: today };
  const rows = await readTotals(scope, viewer, { ...range, timeZone: formats.timeZone, method: null });
  const [days, overview] = [totalsByDay(rows, range), await readOverview(scope, viewer)];
  return [
    owedBlock,
    toActOnBlock(visit, formats, overview),
    receivedBlock(visit, formats, days, overview),
    chartBlock(visit, formats, days.slice(-CHART_DAYS)),
  ];
}

/** Shows the payments on which the practice has to act, by reason; one sentence if there are none. */
function toActOnBlock(visit: MemberVisit, { moment }: Formats, { toActOn, evidenceDueBy }: Overview): ui.Block {
  const isOverdue = evidenceDueBy !== null && evidenceDueBy < visit.scope.clock.now();
  const deadline = evidenceDueBy === null ? 'The bank named no deadline.' : `Evidence due ${moment(evidenceDueBy)}`;
  const noteOf = (reason: ActReason) =>
    reason === 'open_dispute' ? [deadline, isOverdue && ` The deadline has passed.`] : 'In the last 60 days';
  const found = ACT_REASONS.flatMap((state) => {
    const count = toActOn[state] ?? 0;
    return count === 0 ? [] : [ui.figure(TO_ACT_ON[state], `${count}`, paymentsPath(visit, { state }), noteOf(state))];
  });
  if (found.length === 0) return ui.text(NOTHING_TO_ACT_ON, { class: 'quiet' });
  return ui.section('To act on', [ui.list('ul', found, 'figures urgent')]);
}

/** Shows what came in today, this week and this month, beside the same days of the span before, and what is under way. */
function receivedBlock(
  visit: MemberVisit,
  { isoDay, money, count, caption }: Formats,
  days: readonly DayTotals[],
  { processing }: Overview,
): ui.Block {
  const spans = spansOf(isoDay(visit.scope.clock.now()));
  const pathOf = ({ from, to }: DayRange) => paymentsPath(visit, { state: 'received', from, to });
  const received = (range: DayRange) => money(receivedIn(days, range));
  const figures = (['today', 'week', 'month'] as const).map((name) => {
    const { span, former } = spans[name];
    const before = ui.link(pathOf(former), received(former), { class: undefined });
    return ui.figure(SPANS[name], received(span), pathOf(span), [`${FORMER_SPANS[name]}: `, before]);
  });
  const path = paymentsPath(visit, { state: 'processing' });
  const number = `Payments: ${count(processing.count)}`;
  const underWay = ui.figure('Bank debits under way', money(processing.cents), path, number);
  return ui.section('Received', [
    ui.list('ul', [...figures, underWay], 'figures'),
    ui.text(`${caption} Weeks begin on Monday.`, { class: 'hint' }),
  ]);
}

/** Returns today, this week and this month up to today. Weeks begin on Monday, and a month is compared with as many days. */
function spansOf(today: string) {
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  const first = monthOf(today).from;
  const former = monthOf(addDays(first, -1));
  const sameDay = addDays(former.from, daysBetween(first, today) - 1);
  const yesterday = addDays(today, -1);
  return {
    today: { span: { from: today, to: today }, former: { from: yesterday, to: yesterday } },
    week: { span: { from: monday, to: today }, former: { from: addDays(monday, -7), to: addDays(today, -7) } },
    month: {
      span: { from: first, to: today },
      former: { from: former.from, to: sameDay < former.to ? sameDay : former.to },
    },
  };
}

function receivedIn(days: readonly DayTotals[], { from, to }: DayRange): number {
  return sumOf(days.filter(({ day }) => from <= day && day <= to).map(({ totals }) => totals)).receivedCents;
}

function chartBlock(visit: MemberVisit, formats: Formats, days: readonly DayTotals[]): ui.Block {
  const lines = linesOf(visit, formats, days);
  const table = totalsTable(formats, 'The last 30 days', 'Day', lines);
  return ui.section('The last 30 days', [
    lines.length === 0
      ? ui.text('No money moved in these days.', { class: 'card' })
      : totalsChart(formats, days, ui.details('The same figures in a table', {}, [table])),
    ui.text(ui.link(visit.modePath('/reconciliation'), 'Totals and movements by day')),
  ]);
}
