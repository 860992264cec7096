import { LISTED_FIELDS } from '../../../payment-links/billing/list-payments.ts';
import { listMovements, type Movement } from '../../../payment-links/billing/movements.ts';
import { PAYMENT_STATES as STATES } from '../../../payment-links/billing/payment-filter.ts';
import type { Viewer } from '../../../payment-links/model/staff-status.ts';
import { LINK_FIELDS } from '../../../payment-links/state/fields.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { addDays, clockIn, isRange } from '../../../platform/base/time/zoned-time.ts';
import { inTransaction, withPlace } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { type CsvCell, csvDownload } from '../../../web/csv.ts';
import { LINK_FIELD_LABELS, MOVEMENTS, PAYMENT_METHODS, PAYMENT_STATES, wordOf } from '../../render/labels.ts';
import { type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { readPlaces } from '../places.ts';
import { type FilterInput, filteredViewer, inputOf } from './input.ts';
import { showPayments } from './list.ts';

const EXPORT_SIZE = 1_000;

/** A year with its leap day. More would keep a connection of the server busy for too long. */
const MAX_DAYS = 366;

const DEFAULT_DAYS = 365;

/**
 * Sends the movements of the filter as CSV, newest first: what came in and went out on its days, for payments in its state. They are read in pages while the client takes them, so a slow
 * client keeps no statement open. The export is in the audit log before its first byte is sent.
 */
export async function exportPayments(visit: MemberVisit): Promise<Reply> {
  const { scope, member, mode } = visit;
  const { formats, seen } = await readPlaces(visit);
  const typed = inputOf(visit.fields);
  // Each value of the entry is one that the practice has, and no text of the form's sender.
  if (typed.location !== '' && !seen.some(({ id }) => id === typed.location)) return problem('invalid_form');
  const to = typed.to === '' ? formats.isoDay(scope.clock.now()) : typed.to;
  const from = typed.from === '' ? addDays(to, 1 - DEFAULT_DAYS) : typed.from;
  if (!isRange({ from, to }, MAX_DAYS)) return showPayments(visit, 'A file has at most 366 days.');
  const input = { ...typed, from, to };
  const viewer = filteredViewer(visit, input);
  await inTransaction(scope, async (scope) => {
    const { practiceId } = member;
    audit(scope, visit.actor, {
      practiceId,
      action: 'payments.exported',
      target: { kind: 'practice', id: practiceId },
      after: { ...input, mode, locationIds: viewer.locationIds },
    });
  });
  const columns = columnsOf(visit, formats.timeZone);
  const header = columns.map(([title]) => title);
  return csvDownload(
    `payments-${mode}-${from}-${to}.csv`,
    header,
    rowsOf(visit, columns, viewer, input, formats.timeZone),
  );
}

/** A column of the file: its title, and its cell for a movement. Null is an empty cell. */
type Column = readonly [title: string, cell: (movement: Movement) => CsvCell | null];

function columnsOf({ mode }: MemberVisit, timeZone: string): Column[] {
  const timeColumns = (title: string, timeOf: (movement: Movement) => Date | null): Column[] => [
    [`${title} (${timeZone})`, (movement) => clockOf(timeOf(movement), timeZone)],
    [`${title} (UTC)`, (movement) => timeOf(movement)?.toISOString() ?? null],
  ];
  return [
    ...timeColumns('Time', ({ movedAt }) => movedAt),
    ['Movement', ({ kind }) => MOVEMENTS[kind]],
    ['Amount (USD)', ({ movedCents }) => (movedCents === null ? null : movedCents / 100)],
    ['Movement id', ({ movementId }) => movementId],
    ['Payment', ({ transactionId }) => transactionId],
    ['Payment link', ({ id }) => id],
    ['Payment number', ({ paymentNumber }) => paymentNumber],
    ['Mode', () => mode],
    ['Payment status', ({ state }) => PAYMENT_STATES[state]],
    ...timeColumns('Paid', ({ paidAt }) => paidAt),
    ...timeColumns('Settled', ({ processedAt }) => processedAt),
    ['Method', ({ paymentMethodType }) => wordOf(PAYMENT_METHODS, paymentMethodType)],
    ['Brand', ({ paymentMethodBrand }) => paymentMethodBrand],
    ['Last four digits', ({ paymentMethodLast4 }) => paymentMethodLast4],
    ['Location', ({ locationName }) => locationName],
    ['Patient', ({ patientFirstName, patientLastName }) => `${patientFirstName} ${patientLastName}`],
    ...LISTED_FIELDS.filter((name) => name !== 'firstName' && name !== 'lastName').map(
      (name): Column => [LINK_FIELD_LABELS[name], (movement) => movement[LINK_FIELDS[name].property]],
    ),
  ];
}

function clockOf(at: Date | null, timeZone: string): string | null {
  return at && clockIn(at, timeZone);
}

async function* rowsOf(
  { scope }: MemberVisit,
  columns: readonly Column[],
  viewer: Viewer,
  input: FilterInput,
  timeZone: string,
): AsyncGenerator<CsvCell[]> {
  const filter = { ...input, timeZone, method: input.method || null };
  // A state to which only figures lead is none of a payment.
  const state = STATES.find((name) => name === input.state);
  let page: Movement[] = [];
  do {
    const last = page.at(-1) ?? null;
    // In the places of their practice, many exports leave connections to others.
    page = await withPlace(fresh(scope), (scope) => listMovements(scope, viewer, filter, last, EXPORT_SIZE));
    for (const movement of page) {
      if (state === undefined || movement.state === state) yield columns.map(([, cell]) => cell(movement) ?? '');
    }
  } while (page.length === EXPORT_SIZE);
}
