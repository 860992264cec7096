import { type ListedPayment, listPayments } from '../../../payment-links/billing/payments.ts';
import { formatCursor, parseCursor } from '../../../payment-links/office/page.ts';
import { classifySearch, findByText } from '../../../payment-links/office/search.ts';
import * as ui from '../../../web/blocks.ts';
import { mayDo } from '../../model/roles.ts';
import { PAYMENT_METHODS, PAYMENT_STATES, SEARCH_IS_CUT } from '../../render/labels.ts';
import { auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { isFiltered, pagesOf, pathWith, totalText, typedTexts } from '../filters.ts';
import type { Formats } from '../formats.ts';
import { readPracticeView } from '../formats.ts';
import { filteredViewer, makeFilter, readInput } from './input.ts';

const PAGE_SIZE = 50;

const NO_PAYMENT = ui.card('No payment yet', [
  ui.text('A payment appears here as soon as a patient pays a link. Refunds start from its page.'),
]);

/** Shows the payments; with an error, if an export was refused. */
export async function showPayments(visit: MemberVisit, error?: string): Promise<Reply> {
  const { scope, member, query } = visit;
  const { formats, locations, locationOptions } = await readPracticeView(visit);
  const input = readInput(query);
  const { q } = typedTexts(query, ['q']);
  const cursor = parseCursor(query.get('before') ?? '');
  const found = await findByText(scope, viewerOf(visit), q);
  const filter = { ...makeFilter(input, formats.timeZone), linkIds: found?.ids };
  const { rows, next } = await listPayments(scope, filteredViewer(visit, input), filter, cursor, PAGE_SIZE);
  const shown = { ...input, q };
  const isFirst = cursor === null && !isFiltered(shown);
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  await auditListView(visit, 'payments', { input: shown, term: classifySearch(q), locationId, rows: rows.length });
  const path = visit.modePath('/payments');
  // A page with few payments says how far it has searched.
  const examined = next !== null && rows.length < PAGE_SIZE ? formats.day(new Date(next.key)) : null;
  const all = { all: 'All' };
  const empty = isFirst ? NO_PAYMENT : ui.text('Nothing matches the filter.');
  return ui.page('Payments', { error }, [
    ui.mark(
      'div',
      [
        ui.text(ui.link(visit.modePath('/reconciliation'), 'Totals and movements by day')),
        rows.length > 0 &&
          q === '' &&
          mayDo(member, 'payments.export') &&
          ui.download(pathWith(`${path}/export`, { ...input }), 'Download the movements of these days (CSV)'),
        ui.filterForm(path, isFiltered(shown), [
          q !== '' && ui.hiddenField('q', q),
          ui.field('state', 'Status', input.state, { options: stateOptions(input.state), ...all }),
          ui.field('from', 'From', input.from, { type: 'date' }),
          ui.field('to', 'To', input.to, { type: 'date' }),
          ui.field('location', 'Location', input.location, { options: locationOptions, ...all }),
          ui.field('method', 'Method', input.method, { options: Object.entries(PAYMENT_METHODS), ...all }),
        ]),
      ],
      'listing',
    ),
    q !== '' && ui.lead(ui.own(`Matches for “${q}”.`)),
    found?.isCut === true && ui.text(SEARCH_IS_CUT, { class: 'alert', role: 'status' }),
    rows.length > 0
      ? ui.table('Payments', rows, paymentColumns(visit, formats), { ...formats, className: 'payments' })
      : empty,
    examined !== null && ui.text(`Searched back to ${examined}. Older payments may match, too.`, { class: 'hint' }),
    totalText(rows, cursor === null && next === null, formats),
    pagesOf(path, shown, cursor === null, next && formatCursor(next)),
  ]);
}

/** Returns the states to choose from. A state to which only figures lead is one of them while it is chosen. */
function stateOptions(chosen: string): [string, string][] {
  return Object.entries(chosen === 'received' ? { ...PAYMENT_STATES, received: 'Received' } : PAYMENT_STATES);
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
