import { listNeedsAttention, MAX_ENTRIES } from '../../payment-links/billing/list-needs-attention.ts';
import { ALL_OWED, findAges, readOwedSums } from '../../payment-links/billing/list-owed.ts';
import {
  comparedSpans,
  type DayTotals,
  type PaymentSum,
  readTotals,
  sumProcessing,
  sumReceived,
  totalsByDay,
} from '../../payment-links/billing/movements.ts';
import { addDays, type DayRange, monthRange } from '../../platform/base/time/zoned-time.ts';
import * as ui from '../../web/blocks.ts';
import { mayDo } from '../model/roles.ts';
import { DEVELOPERS_LEAD } from '../render/labels.ts';
import { catchRefusals } from '../routing/handlers.ts';
import { auditListView } from '../routing/patient-views.ts';
import { doneText, type MemberVisit, type Reply, viewerOf } from '../routing/visit.ts';
import { failingBlock } from './deliveries/failing.ts';
import { type Formats, readPracticeView } from './formats.ts';
import { attentionTable, settleOneRefund } from './needs-attention.ts';
import { figureLines, owedFigures } from './owed/list.ts';
import { listLines, paymentsPath, totalsChart, totalsTable } from './payments/daily-totals.ts';

const SPANS = {
  today: ['Today', 'Yesterday'],
  week: ['This week', 'Same days last week'],
  month: ['This month', 'Same days last month'],
} as const;

/** Entries that need attention which the first page shows. */
const SHOWN_ENTRIES = 5;

/** Days of the chart, today included. */
const CHART_DAYS = 30;

/**
 * Shows what a role does most, and what it has to know: what is owed, what came in, what needs attention. With `attention`, it shows all
 * of the latter.
 */
export async function showHome(visit: MemberVisit, error?: string): Promise<Reply> {
  const { member } = visit;
  const trouble = await failingBlock(visit, { isLost: true });
  if (!mayDo(member, 'links.view')) {
    const button = ui.link(visit.modePath('/developers'), 'Keys and webhooks', { class: 'button' });
    return ui.page('Overview', {}, [
      trouble,
      ui.lead(DEVELOPERS_LEAD),
      mayDo(member, 'developers.view') && ui.text(button),
    ]);
  }
  const path = visit.modePath('/links');
  return ui.page('Overview', { error, done: doneText(visit) }, [
    mayDo(member, 'links.create') && ui.text(ui.link(`${path}/new`, 'New link', { class: 'button' }), { class: 'act' }),
    await figuresBlock(visit, trouble),
  ]);
}

export const settleFailedRefund = catchRefusals(settleOneRefund, showHome);

/** Returns the figures that the person may see: what is owed, and, for people who see payments, what needs attention and came in. */
async function figuresBlock(visit: MemberVisit, trouble: ui.Content): Promise<ui.Content> {
  const { scope, member } = visit;
  const viewer = viewerOf(visit);
  const { formats, locations } = await readPracticeView(visit);
  const seesPayments = mayDo(member, 'payments.view');
  const attention = seesPayments ? await attentionBlock(visit, formats, trouble) : trouble;
  if (seesPayments && visit.query.get('attention') === 'all') return attention;
  const owed = await readOwedSums(scope, viewer, ALL_OWED, findAges(scope.clock.now(), formats.timeZone));
  const { parts, narrower } = owedFigures(visit, { formats, locations }, owed);
  const owedBlock = ui.section('Owed', [ui.list('ul', parts, 'figures'), figureLines(narrower)]);
  if (!seesPayments) return [owedBlock, attention];
  const today = formats.isoDay(scope.clock.now());
  const from =
    [monthRange(addDays(monthRange(today).from, -1)).from, addDays(today, 1 - CHART_DAYS)].toSorted()[0] ?? today;
  const range = { from, to: today };
  const rows = await readTotals(scope, viewer, { ...range, timeZone: formats.timeZone, method: null });
  const [days, processing] = [totalsByDay(rows, range), await sumProcessing(scope, viewer)];
  return [
    owedBlock,
    attention,
    receivedBlock(visit, formats, days, processing),
    chartBlock(visit, formats, days.slice(-CHART_DAYS)),
  ];
}

/** Shows the payments that need attention, the most urgent ones first, and webhooks that did not arrive. */
async function attentionBlock(visit: MemberVisit, formats: Formats, trouble: ui.Content): Promise<ui.Block> {
  const isAll = visit.query.get('attention') === 'all';
  const all = await listNeedsAttention(visit.scope, viewerOf(visit));
  const rows = isAll ? all : all.slice(0, SHOWN_ENTRIES);
  const list = { input: {}, term: null, locationId: null, rows: rows.length };
  if (rows.length > 0) await auditListView(visit, 'payments', list);
  const href = visit.modePath(isAll ? '' : '?attention=all');
  const number = `${formats.count(all.length)}${all.length < MAX_ENTRIES ? '' : ' or more'}`;
  return ui.section('Needs attention', [
    rows.length > 0
      ? attentionTable(visit, formats, rows)
      : ui.text('Nothing: no open dispute, returned debit or failed refund.', { class: 'quiet' }),
    (isAll || all.length > rows.length) && ui.text(ui.link(href, isAll ? 'Back' : `All (${number})`)),
    trouble,
  ]);
}

/** Shows what came in today, this week and this month, beside the same days of the span before, and what is under way. */
function receivedBlock(
  visit: MemberVisit,
  { isoDay, money, count, caption }: Formats,
  days: readonly DayTotals[],
  processing: PaymentSum,
): ui.Block {
  const spans = comparedSpans(isoDay(visit.scope.clock.now()));
  const pathOf = ({ from, to }: DayRange) => paymentsPath(visit, { state: 'received', from, to });
  const received = (range: DayRange) => money(sumReceived(days, range));
  const figures = (['today', 'week', 'month'] as const).map((name) => {
    const { span, former } = spans[name];
    const [title, formerTitle] = SPANS[name];
    const before = ui.link(pathOf(former), received(former), { class: undefined });
    return ui.figure(title, received(span), pathOf(span), [`${formerTitle}: `, before]);
  });
  const path = paymentsPath(visit, { state: 'processing' });
  const number = `Payments: ${count(processing.count)}`;
  const underWay = ui.figure('Bank debits under way', money(processing.cents), path, number);
  return ui.section('Received', [
    ui.list('ul', [...figures, underWay], 'figures'),
    ui.text(`${caption} Weeks begin on Monday.`, { class: 'hint' }),
  ]);
}

function chartBlock(visit: MemberVisit, formats: Formats, days: readonly DayTotals[]): ui.Block {
  const lines = listLines(visit, formats, days);
  const table = totalsTable(formats, 'The last 30 days', 'Day', lines);
  return ui.section('The last 30 days', [
    lines.length === 0
      ? ui.text('No money moved in these days.', { class: 'card' })
      : totalsChart(formats, days, ui.details('The same figures in a table', {}, [table])),
    ui.text(ui.link(visit.modePath('/reconciliation'), 'Totals and movements by day')),
  ]);
}
