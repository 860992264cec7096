import { exportMovements, type Movement } from '../../../payment-links/billing/movements.ts';
import { LISTED_FIELDS, PAYMENT_STATES as STATES } from '../../../payment-links/billing/payments.ts';
import { LINK_FIELDS } from '../../../payment-links/state/fields.ts';
import { addDays, isRange } from '../../../platform/base/time/zoned-time.ts';
import { type CsvColumn, csvDownload, timeColumns } from '../../../web/csv.ts';
import { LINK_FIELD_LABELS, MOVEMENTS, PAYMENT_METHODS, PAYMENT_STATES, wordOf } from '../../render/labels.ts';
import { auditExport } from '../../routing/patient-views.ts';
import { type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { readPracticeView } from '../formats.ts';
import { filteredViewer, readInput } from './input.ts';
import { showPayments } from './list.ts';

/** A year with its leap day. More would keep a connection of the server busy for too long. */
const MAX_DAYS = 366;

const DEFAULT_DAYS = 365;

/**
 * Sends the movements of the filter as CSV, newest first: what came in and went out on its days, for payments in its state. The export is
 * in the audit log before its first byte is sent.
 */
export async function exportPayments(visit: MemberVisit): Promise<Reply> {
  const { scope, mode } = visit;
  const { formats, locations } = await readPracticeView(visit);
  const typed = readInput(visit.query);
  // Each value of the entry is one that the practice has, and no text of the sender.
  if (typed.location !== '' && !locations.some(({ id }) => id === typed.location)) return problem('invalid_form');
  const to = typed.to === '' ? formats.isoDay(scope.clock.now()) : typed.to;
  const from = typed.from === '' ? addDays(to, 1 - DEFAULT_DAYS) : typed.from;
  if (!isRange({ from, to }, MAX_DAYS)) return showPayments(visit, 'A file has at most 366 days.');
  const input = { ...typed, from, to };
  const viewer = filteredViewer(visit, input);
  await auditExport(visit, 'payments.exported', input, viewer);
  // A state to which only figures lead is none of a payment.
  const state = STATES.find((name) => name === input.state) ?? null;
  const filter = { ...input, state, timeZone: formats.timeZone, method: input.method || null };
  const filename = `payments-${mode}-${from}-${to}.csv`;
  return csvDownload(filename, exportColumns(visit, formats.timeZone), exportMovements(scope, viewer, filter));
}

function exportColumns({ mode }: MemberVisit, timeZone: string): CsvColumn<Movement>[] {
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
