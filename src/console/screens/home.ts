import {
  listNeedsAttention,
  MAX_ENTRIES,
  type NeedsAttention,
} from '../../payment-links/billing/list-needs-attention.ts';
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
import { REFUND_SETTLED_REASONS } from '../../payment-links/model/after-payment.entity.ts';
import { settleRefund } from '../../payment-links/office/staff-acts.ts';
import { addDays, type DayRange, monthRange } from '../../platform/base/time/zoned-time.ts';
import * as ui from '../../web/blocks.ts';
import { mayDo } from '../model/roles.ts';
import { DEVELOPERS_LEAD, REFUND_SETTLED_TEXTS } from '../render/labels.ts';
import { catchRefusals } from '../routing/handlers.ts';
import { auditListView } from '../routing/patient-views.ts';
import { doneText, type MemberVisit, type Reply, refuse, staffOf, viewerOf } from '../routing/visit.ts';
import { failingBlock } from './deliveries/list.ts';
import { type PracticeView, readPracticeView } from './formats.ts';
import { newLinkButton } from './links/list.ts';
import { figureLines, listOwedActs, owedFigures } from './owed.ts';
import { listLines, NO_MOVEMENT, paymentsPath, totalsChart, totalsTable } from './payments/daily-totals.ts';

const SPANS = {
  today: ['Today', 'Yesterday'],
  week: ['This week', 'Same days last week'],
  month: ['This month', 'Same days last month'],
} as const;

/** Entries that need attention which the first page shows. */
const SHOWN_ENTRIES = 5;

/** Days of the chart, today included. */
const CHART_DAYS = 30;

/** Shows what a role does most, and what it has to know. With `attention`, it shows all that needs attention. */
export async function showHome(visit: MemberVisit, error?: string): Promise<Reply> {
  const trouble = await failingBlock(visit, { isLost: true });
  const developers = ui.link(visit.modePath('/developers'), 'Keys and webhooks', { class: 'button' });
  return ui.page('Overview', { error, done: doneText(visit) }, [
    mayDo(visit.member, 'links.view')
      ? [newLinkButton(visit), await figuresBlock(visit, trouble)]
      : [trouble, ui.lead(DEVELOPERS_LEAD), ui.text(developers)],
  ]);
}

/** Returns the figures that the person may see: what is owed, and, for people who see payments, what needs attention and came in. */
async function figuresBlock(visit: MemberVisit, trouble: ui.Content): Promise<ui.Content> {
  const view = await readPracticeView(visit);
  const { scope, member, query, formats } = view;
  const viewer = viewerOf(visit);
  const seesPayments = mayDo(member, 'payments.view');
  const attention = seesPayments ? await attentionBlock(view, trouble) : trouble;
  if (seesPayments && query.get('attention') === 'all') return attention;
  const owed = await readOwedSums(scope, viewer, ALL_OWED, findAges(scope.clock.now(), formats.timeZone));
  const { parts, breakdown } = owedFigures(view, owed);
  const owedBlock = ui.section('Owed', [ui.list('ul', parts, 'figures'), figureLines(breakdown)]);
  if (!seesPayments) return [owedBlock, attention];
  const today = formats.isoDay(scope.clock.now());
  const from =
    [monthRange(addDays(monthRange(today).from, -1)).from, addDays(today, 1 - CHART_DAYS)].toSorted()[0] ?? today;
  const range = { from, to: today };
  const rows = await readTotals(scope, viewer, { ...range, timeZone: formats.timeZone, method: null });
  const days = totalsByDay(rows, range);
  const received = receivedBlock(view, days, await sumProcessing(scope, viewer));
  return [owedBlock, attention, received, chartBlock(view, days.slice(-CHART_DAYS))];
}

/** Shows the payments that need attention, the most urgent ones first, and webhooks that did not arrive. */
async function attentionBlock(view: PracticeView, trouble: ui.Content): Promise<ui.Block> {
  const isAll = view.query.get('attention') === 'all';
  const entries = await listNeedsAttention(view.scope, viewerOf(view));
  const rows = isAll ? entries : entries.slice(0, SHOWN_ENTRIES);
  if (rows.length > 0) await auditListView(view, 'payments', {}, rows.length);
  const href = view.modePath(isAll ? '' : '?attention=all');
  const number = `${view.formats.count(entries.length)}${entries.length < MAX_ENTRIES ? '' : ' or more'}`;
  return ui.section('Needs attention', [
    rows.length > 0
      ? ui.table('Needs attention', rows, attentionColumns(view), view.formats)
      : ui.text('Nothing: no open dispute, returned debit or failed refund.', { class: 'quiet' }),
    (isAll || entries.length > rows.length) && ui.text(ui.link(href, isAll ? 'Back' : `All (${number})`)),
    trouble,
  ]);
}

/** Shows what came in today, this week and this month, beside the same days of the span before, and what is under way. */
function receivedBlock(view: PracticeView, days: readonly DayTotals[], processing: PaymentSum): ui.Block {
  const { isoDay, money, count, caption } = view.formats;
  const spans = comparedSpans(isoDay(view.scope.clock.now()));
  const makePath = ({ from, to }: DayRange) => paymentsPath(view, { state: 'received', from, to });
  const formatReceived = (range: DayRange) => money(sumReceived(days, range));
  const figures = (['today', 'week', 'month'] as const).map((name) => {
    const { span, former } = spans[name];
    const [title, formerTitle] = SPANS[name];
    const before = ui.link(makePath(former), formatReceived(former), { class: undefined });
    return ui.figure(title, formatReceived(span), makePath(span), [`${formerTitle}: `, before]);
  });
  const path = paymentsPath(view, { state: 'processing' });
  const number = `Payments: ${count(processing.count)}`;
  const underWay = ui.figure('Bank debits under way', money(processing.cents), path, number);
  return ui.section('Received', [
    ui.list('ul', [...figures, underWay], 'figures'),
    ui.text(`${caption} Weeks begin on Monday.`, { class: 'hint' }),
  ]);
}

function chartBlock(view: PracticeView, days: readonly DayTotals[]): ui.Block {
  const title = 'The last 30 days';
  const lines = listLines(view, days);
  const table = ui.details('The same figures in a table', {}, [totalsTable(view.formats, title, 'Day', lines)]);
  return ui.section(title, [
    lines.length === 0 ? NO_MOVEMENT : totalsChart(view.formats, days, table),
    ui.text(ui.link(view.modePath('/reconciliation'), 'Totals and movements by day')),
  ]);
}

/** Reasons, each with the class of its badge. */
const REASONS = {
  open_dispute: ['Dispute', 'disputed'],
  returned_debit: ['Debit returned', 'returned'],
  failed_refund: ['Refund failed', 'exhausted'],
} satisfies Record<NeedsAttention['reason'], [name: string, look: string]>;

function attentionColumns(view: PracticeView): ui.Column<NeedsAttention>[] {
  const { formats } = view;
  const patient = ({ id, patientFirstName, patientLastName }: NeedsAttention) =>
    ui.link(view.modePath(`/payments/${id}`), ui.own(`${patientFirstName} ${patientLastName}`));
  const happened = ({ reason, at }: NeedsAttention) => [
    ui.badge(...REASONS[reason]),
    ui.group('hint', ui.moment(at, formats.briefDay(at))),
  ];
  return [
    ['Patient', patient],
    ['Amount', ({ amountCents }) => formats.money(amountCents), 'amount'],
    ['What happened', happened],
    ['Deadline', (row) => describeDeadline(view, row)],
    ['What you can do', (row) => listActs(view, row)],
  ];
}

function describeDeadline({ scope, formats }: PracticeView, { reason, dueBy }: NeedsAttention): ui.Content {
  if (reason !== 'open_dispute') return '';
  if (dueBy === null) return 'The bank named no deadline.';
  const isOverdue = dueBy < scope.clock.now();
  return [ui.mark('strong', `Evidence due ${formats.moment(dueBy)}`), isOverdue && ' The deadline has passed.'];
}

function listActs(visit: MemberVisit, { reason, id, recordId }: NeedsAttention): ui.Content {
  const { member } = visit;
  const payment = visit.modePath(`/payments/${id}`);
  switch (reason) {
    case 'open_dispute': {
      const button = { look: 'quiet', hidden: { sent: 'yes' } } as const;
      return [
        ui.link(payment, 'What to send'),
        mayDo(member, 'payments.answer') && ui.button(`${payment}/disputes/${recordId}`, 'The answer is sent', button),
      ];
    }
    case 'returned_debit':
      return listOwedActs(visit, id, visit.modePath(''));
    case 'failed_refund': {
      if (!mayDo(member, 'payments.refund')) return null;
      const options = Object.entries(REFUND_SETTLED_TEXTS);
      const field = ui.field('reason', 'Reason', '', { id: `reason-${recordId}`, options, all: '', required: true });
      const form = { button: 'Done', className: '', hidden: { refund: recordId } };
      return [
        ui.link(`${payment}/refund`, 'Refund again'),
        ui.details('Done', {}, [ui.form(visit.modePath('/attention'), form, field)]),
      ];
    }
    default:
      reason satisfies never;
      throw new Error('an entry has an unknown reason');
  }
}

/** Ends a failed refund, which was given back another way or is not due. */
export const settleFailedRefund = catchRefusals(async (visit: MemberVisit) => {
  const { scope, fields } = visit;
  const reason = REFUND_SETTLED_REASONS.find((name) => name === fields.get('reason'));
  if (reason === undefined) return refuse('Choose a reason.');
  const isSettled = await settleRefund(scope, staffOf(visit), fields.get('refund') ?? '', reason);
  if (!isSettled) return refuse('Not changed: this refund needs no attention any more.');
  return { kind: 'redirect', to: visit.modePath('?done=saved') };
}, showHome);
