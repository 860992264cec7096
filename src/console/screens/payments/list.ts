import { exportMovements, type Movement } from '../../../payment-links/billing/movements.ts';
import {
  LISTED_FIELDS,
  type ListedPayment,
  listPayments,
  PAYMENT_METHODS as METHODS,
  STATE_FILTERS,
} from '../../../payment-links/billing/payments.ts';
import { formatCursor, parseCursor } from '../../../payment-links/office/page.ts';
import { findByText } from '../../../payment-links/office/search.ts';
import { LINK_FIELDS } from '../../../payment-links/state/fields.ts';
import { addDays, isRange, parseDay } from '../../../platform/base/time/zoned-time.ts';
import * as ui from '../../../web/blocks.ts';
import { type CsvColumn, csvDownload, timeColumns } from '../../../web/csv.ts';
import { LINK_FIELD_LABELS, MOVEMENTS, PAYMENT_METHODS, PAYMENT_STATES, wordOf } from '../../render/labels.ts';
import { auditExport, auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, problem, type Reply, viewerOf } from '../../routing/visit.ts';
import {
  exportForm,
  isFiltered,
  listBlocks,
  readDays,
  readLocation,
  searchLines,
  typedTexts,
  viewerAt,
} from '../filters.ts';
import { type PracticeView, readPracticeView } from '../formats.ts';

const PAGE_SIZE = 50;

/** A year with its leap day. More would keep a connection of the server busy for too long. */
const MAX_FILE_DAYS = 366;

const DEFAULT_DAYS = 365;

const NO_PAYMENT = ui.card('No payment yet', [
  ui.text('A payment appears here as soon as a patient pays a link. Refunds start from its page.'),
]);

export type PaymentInput = ReturnType<typeof readInput>;

/**
 * Reads the filter of an address. Empty means all, and so does a value that is none. The days are of the practice's time zone, both
 * included.
 */
export function readInput(view: PracticeView) {
  const { state, from, to, method } = typedTexts(view.query, ['state', 'from', 'to', 'method']);
  return {
    state: STATE_FILTERS.find((name) => name === state) ?? '',
    from: parseDay(from) ?? '',
    to: parseDay(to) ?? '',
    location: readLocation(view),
    method: METHODS.find((name) => name === method) ?? '',
  } as const;
}

/** Shows the payments; with an error, if an export was refused. */
export async function showPayments(visit: MemberVisit, error?: string): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, query, formats } = view;
  const filter = readInput(view);
  const input = { ...filter, ...typedTexts(query, ['q']) };
  const [from, before] = readDays(input.from, input.to, formats.timeZone);
  const matches = await findByText(scope, viewerOf(visit), input.q);
  const { rows, next } = await listPayments(
    scope,
    viewerAt(visit, input.location),
    { state: input.state || null, method: input.method || null, from, before, linkIds: matches?.ids },
    parseCursor(query.get('start') ?? ''),
    PAGE_SIZE,
  );
  await auditListView(visit, 'payments', input, rows.length);
  // A page with few payments says how far it has searched.
  const examined = next !== null && rows.length < PAGE_SIZE ? formats.day(new Date(next.key)) : null;
  return ui.page('Payments', { error }, [
    ui.group(
      'listing',
      ui.text(ui.link(visit.modePath('/reconciliation'), 'Totals and movements by day')),
      rows.length > 0 &&
        input.q === '' &&
        exportForm(visit, '/payments', filter, 'Download the movements of these days (CSV)'),
      filterBlock(view, input),
    ),
    searchLines(`Matches for “${input.q}”.`, matches),
    listBlocks(visit, formats, {
      ...{ title: 'Payments', path: visit.modePath('/payments'), input, rows, columns: paymentColumns(view) },
      className: 'payments',
      empty: NO_PAYMENT,
      next: next && formatCursor(next),
    }),
    examined !== null && ui.text(`Searched back to ${examined}. Older payments may match, too.`, { class: 'hint' }),
  ]);
}

function filterBlock({ modePath, locationField }: PracticeView, input: PaymentInput & { q: string }): ui.Block {
  const { q, state, from, to, location, method } = input;
  const fields = [
    ui.field('state', 'Status', state, { options: stateOptions(state), all: 'All' }),
    ui.field('from', 'From', from, { type: 'date' }),
    ui.field('to', 'To', to, { type: 'date' }),
    locationField(location),
    ui.field('method', 'Method', method, { options: Object.entries(PAYMENT_METHODS), all: 'All' }),
  ];
  return ui.filterForm(modePath('/payments'), isFiltered(input), fields, { q });
}

/** Returns the states to choose from. A state to which only figures lead is one of them while it is chosen. */
function stateOptions(chosen: string): [string, string][] {
  return Object.entries(chosen === 'received' ? { ...PAYMENT_STATES, received: 'Received' } : PAYMENT_STATES);
}

/** Returns the cell that names the patient, and leads to the payment. */
export function patientLink({ modePath, formats: { money } }: PracticeView) {
  return ({ id, patientFirstName, patientLastName, amountCents }: ListedPayment) => {
    const patient = `${patientFirstName} ${patientLastName}`;
    const label = { 'aria-label': `Open the payment of ${patient}, ${money(amountCents)}` };
    return ui.link(modePath(`/payments/${id}`), ui.own(patient), label);
  };
}

function paymentColumns(view: PracticeView): (ui.Column<ListedPayment> | null)[] {
  const { money, time, method } = view.formats;
  const amount = ({ amountCents, refundedCents, takenBackCents }: ListedPayment) => [
    money(amountCents),
    refundedCents + takenBackCents > 0 && [
      ui.BREAK,
      ui.mark('span', `−${money(refundedCents + takenBackCents)}`, 'quiet'),
    ],
  ];
  return [
    ['Patient', patientLink(view)],
    ['Amount', amount, 'amount'],
    ['Status', ({ state }) => ui.badge(PAYMENT_STATES[state], state)],
    ['Paid', ({ paidAt }) => time(paidAt), 'moment'],
    ['Method', method],
    view.locationColumn,
    ['For', ({ description }) => ui.own(description)],
  ];
}

/**
 * Sends the movements of the filter as CSV, newest first: what came in and went out on its days, for payments in its state. The export is
 * in the audit log before its first byte is sent.
 */
export async function exportPayments(visit: MemberVisit): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, mode, formats } = view;
  const typed = readInput(view);
  if (typed.location !== (visit.query.get('location') ?? '')) return problem('invalid_form');
  const to = typed.to === '' ? formats.isoDay(scope.clock.now()) : typed.to;
  const from = typed.from === '' ? addDays(to, 1 - DEFAULT_DAYS) : typed.from;
  if (!isRange({ from, to }, MAX_FILE_DAYS)) return showPayments(visit, 'A file has at most 366 days.');
  const input = { ...typed, from, to };
  const viewer = viewerAt(visit, input.location);
  await auditExport(visit, 'payments.exported', input, viewer);
  // Only figures lead to `received`, which is the state of no payment.
  const state = input.state === 'received' ? null : input.state || null;
  const filter = { ...input, state, timeZone: formats.timeZone, method: input.method || null };
  const filename = `payments-${mode}-${from}-${to}.csv`;
  return csvDownload(filename, exportColumns(view), exportMovements(scope, viewer, filter));
}

function exportColumns({ mode, formats: { timeZone } }: PracticeView): CsvColumn<Movement>[] {
  return [
    ...timeColumns<Movement>('Time', timeZone, ({ movedAt }) => movedAt),
    ['Movement', ({ kind }) => MOVEMENTS[kind]],
    ['Amount (USD)', ({ movedCents }) => (movedCents === null ? null : movedCents / 100)],
    ['Movement id', ({ movementId }) => movementId],
    ['Payment', ({ transactionId }) => transactionId],
    ['Payment link', ({ id }) => id],
    ['Payment number', ({ paymentNumber }) => paymentNumber],
    ['Mode', () => mode],
    ['Payment status', ({ state }) => PAYMENT_STATES[state]],
    ...timeColumns<Movement>('Paid', timeZone, ({ paidAt }) => paidAt),
    ...timeColumns<Movement>('Settled', timeZone, ({ processedAt }) => processedAt),
    ['Method', ({ paymentMethodType }) => wordOf(PAYMENT_METHODS, paymentMethodType)],
    ['Brand', ({ paymentMethodBrand }) => paymentMethodBrand],
    ['Last four digits', ({ paymentMethodLast4 }) => paymentMethodLast4],
    ['Location', ({ locationName }) => locationName],
    ['Patient', ({ patientFirstName, patientLastName }) => `${patientFirstName} ${patientLastName}`],
    ...LISTED_FIELDS.filter((name) => name !== 'firstName' && name !== 'lastName').map(
      (name): CsvColumn<Movement> => [LINK_FIELD_LABELS[name], (movement) => movement[LINK_FIELDS[name].property]],
    ),
  ];
}
