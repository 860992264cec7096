import {
  formatCursor,
  type ListedPayment,
  listPayments,
  parseCursor,
} from '../../../payment-links/billing/list-payments.ts';
import type { ActReason } from '../../../payment-links/billing/list-to-act-on.ts';
import { listToActOn, type PaymentToActOn } from '../../../payment-links/billing/list-to-act-on.ts';
import type { FigureFilter } from '../../../payment-links/billing/payment-filter.ts';
import { classifySearch, findByText } from '../../../payment-links/office/search.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { NOTHING_TO_ACT_ON, PAYMENT_METHODS, PAYMENT_STATES, SEARCH_IS_CUT } from '../../render/labels.ts';
import { auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { isFiltered, pagesOf, typedTexts } from '../filters.ts';
import type { Formats } from '../formats.ts';
import { readPlaces } from '../places.ts';
import { filteredViewer, filterOf, inputOf } from './input.ts';

const FIGURES = {
  received: 'Received',
  open_dispute: 'Open dispute',
  returned_debit: 'Debit returned, last 60 days',
  failed_refund: 'Refund failed, last 60 days',
} satisfies Record<FigureFilter, string>;

const ACT_REASONS = {
  failed_refund: {
    title: 'Refund failed',
    text: 'The patient has not received this money. Refund again, or pay another way.',
  },
  returned_debit: { title: 'Debit returned', text: 'Send the patient a new link.' },
  open_dispute: { title: 'Dispute', text: 'Send evidence to the processor in time.' },
} satisfies Record<ActReason, { title: string; text: string }>;

const PAGE_SIZE = 50;

/** Shows the payments, and those on which the practice has to act; with an error, if an export was refused. */
export async function showPayments(visit: MemberVisit, error?: string): Promise<Reply> {
  const { scope, member, query, fields } = visit;
  const { formats, seen, filterOptions } = await readPlaces(visit);
  const input = inputOf(error === undefined ? query : fields);
  const { q } = typedTexts(query, ['q']);
  const cursor = parseCursor(query.get('before') ?? '');
  const found = await findByText(scope, viewerOf(visit), q);
  const filter = { ...filterOf(input, formats.timeZone), found: found?.ids };
  const page = await listPayments(scope, filteredViewer(visit, input), filter, cursor, PAGE_SIZE);
  // The same on every page of the list, so only the first one has it.
  const shown = { ...input, q };
  const isFirst = cursor === null && !isFiltered(shown);
  const toActOn = isFirst ? await listToActOn(scope, viewerOf(visit)) : [];
  const rows = page.payments.length + toActOn.length;
  const locationId = seen.find(({ id }) => id === input.location)?.id ?? null;
  await auditListView(visit, 'payments', { input: shown, term: classifySearch(q), locationId, rows });
  const path = visit.modePath('/payments');
  // A page with few payments says how far it has searched.
  const examined =
    page.next !== null && page.payments.length < PAGE_SIZE
      ? `Searched back to ${formats.day(page.next.paidAt)}. Older payments may match, too.`
      : null;
  const all = { all: 'All' };
  const empty = isFirst
    ? ui.card('No payment yet', [
        ui.text('A payment appears here as soon as a patient pays a link. Refunds start from its page.'),
      ])
    : ui.text('Nothing matches the filter.');
  return ui.page('Payments', { error }, [
    ui.lead('Paid links, newest first.'),
    ui.text(ui.link(visit.modePath('/reconciliation'), 'Totals and movements by day')),
    isFirst && toActOnBlock(visit, formats, toActOn),
    q !== '' && ui.lead(ui.own(`Matches for “${q}”.`)),
    ui.filterForm(path, isFiltered(shown), [
      q !== '' && ui.hiddenField('q', q),
      ui.field('state', 'Status', input.state, { options: statesOf(input.state), ...all }),
      ui.field('from', 'From', input.from, { type: 'date' }),
      ui.field('to', 'To', input.to, { type: 'date' }),
      ui.field('location', 'Location', input.location, { options: filterOptions, ...all }),
      ui.field('method', 'Method', input.method, { options: Object.entries(PAYMENT_METHODS), ...all }),
    ]),
    found?.isCut === true && ui.text(SEARCH_IS_CUT, { class: 'alert', role: 'status' }),
    page.payments.length > 0 &&
      q === '' &&
      mayDo(member, 'payments.export') && [
        ui.download(`${path}/export`, { ...input }, 'Download the movements of these days (CSV)'),
        ui.text('Without days: the last 365 days.', { class: 'hint' }),
      ],
    page.payments.length > 0
      ? ui.table('Payments', page.payments, paymentColumns(visit, formats), { ...formats, className: 'payments' })
      : empty,
    examined !== null && ui.text(examined, { class: 'hint' }),
    pagesOf(path, shown, cursor === null, page.next && formatCursor(page.next)),
  ]);
}

/** Returns the states to choose from. A state to which only figures lead is one of them while it is chosen. */
function statesOf(chosen: string): [string, string][] {
  return [...Object.entries(PAYMENT_STATES), ...Object.entries(FIGURES).filter(([name]) => name === chosen)];
}

/** Returns the cell that names the patient, and leads to the payment. */
export function patientLink(visit: MemberVisit, { money }: Formats) {
  return ({ id, patientFirstName, patientLastName, amountCents }: ListedPayment) => {
    const patient = `${patientFirstName} ${patientLastName}`;
    const label = { 'aria-label': `Open the payment of ${patient}, ${money(amountCents)}` };
    return ui.link(visit.modePath(`/payments/${id}`), ui.own(patient), label);
  };
}

export function paymentColumns(visit: MemberVisit, formats: Formats): ui.Column<ListedPayment>[] {
  const { money, time, method } = formats;
  const amount = ({ amountCents, refundedCents, takenBackCents }: ListedPayment) => [
    money(amountCents),
    refundedCents + takenBackCents > 0 && [
      ui.BREAK,
      ui.mark('span', `−${money(refundedCents + takenBackCents)}`, 'quiet'),
    ],
  ];
  return [
    ['Patient', patientLink(visit, formats)],
    ['Amount', amount, 'amount'],
    ['Status', ({ state }) => ui.badge(PAYMENT_STATES[state], state)],
    ['Paid', ({ paidAt }) => time(paidAt), 'moment'],
    ['Method', method],
    ['Location', ({ locationName }) => ui.own(locationName)],
    ['For', ({ description }) => ui.own(description)],
  ];
}

function toActOnBlock(visit: MemberVisit, { day, moment, money }: Formats, list: readonly PaymentToActOn[]): ui.Block {
  const cards = list.map(({ reason, id, dueBy, ...one }) => {
    const patient = ui.own(`${one.patientFirstName} ${one.patientLastName}`);
    const path = visit.modePath(`/payments/${id}`);
    const deadline = ui.mark(
      'strong',
      dueBy === null ? 'The bank named no deadline.' : `Evidence due ${moment(dueBy)}`,
    );
    const isOverdue = dueBy !== null && dueBy < visit.scope.clock.now();
    const lines = [
      ui.text([
        ui.mark('strong', ACT_REASONS[reason].title),
        ' · ',
        ui.link(path, [patient, `, ${money(one.amountCents)}`], { class: undefined }),
      ]),
      ui.text([`${day(one.at)} · `, ui.own(one.locationName)], { class: 'hint' }),
      ui.text([
        ACT_REASONS[reason].text,
        reason === 'open_dispute' && [' ', deadline, isOverdue && ` The deadline has passed.`],
      ]),
    ];
    return ui.mark('li', lines, 'card');
  });
  const shown =
    cards.length === 0
      ? [ui.text(NOTHING_TO_ACT_ON, { class: 'quiet' })]
      : [
          ui.text('Open disputes, and what failed or was returned in the last 60 days.', { class: 'hint' }),
          ui.mark('ul', cards, 'cards'),
        ];
  return ui.section('To act on', shown, { class: 'to-act-on', 'aria-label': 'To act on' });
}
