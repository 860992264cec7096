import type { PaymentPage } from '../../../payment-links/billing/list-payments.ts';
import { LISTED_FIELDS, type ListedPayment, listPayments } from '../../../payment-links/billing/list-payments.ts';
import type { PaymentCursor, PaymentFilter } from '../../../payment-links/billing/payment-filter.ts';
import type { Viewer } from '../../../payment-links/model/staff-status.ts';
import { LINK_FIELDS } from '../../../payment-links/state/fields.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { addDays, clockIn } from '../../../platform/base/time/zoned-time.ts';
import { inTransaction, withPlace } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { type CsvCell, csvDownload } from '../../render/csv.ts';
import { LINK_FIELD_LABELS, PAYMENT_METHODS, PAYMENT_STATES, wordOf } from '../../render/labels.ts';
import { type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { readPlaces } from '../places.ts';
import { filteredViewer, filterOf, inputOf, isRange } from './input.ts';
import { showPayments } from './list.ts';

const EXPORT_SIZE = 1_000;

/** A year with its leap day. More would keep a connection of the server busy for too long. */
const MAX_DAYS = 366;

const DEFAULT_DAYS = 365;

/**
 * Sends the payments of the filter as CSV, newest first. They are read in pages while the client takes them, so a slow
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
  const rows = rowsOf(visit, columns, viewer, filterOf(input, formats.timeZone));
  return csvDownload(`payments-${mode}-${from}-${to}.csv`, header, rows);
}

/** A column of the file: its title, and its cell for a payment. Null is an empty cell. */
type Column = readonly [title: string, cell: (payment: ListedPayment) => CsvCell | null];

function columnsOf({ mode }: MemberVisit, timeZone: string): Column[] {
  return [
    [`Paid (${timeZone})`, ({ paidAt }) => clockIn(paidAt, timeZone)],
    ['Paid (UTC)', ({ paidAt }) => paidAt.toISOString()],
    [`Settled (${timeZone})`, ({ processedAt }) => processedAt && clockIn(processedAt, timeZone)],
    ['Settled (UTC)', ({ processedAt }) => processedAt?.toISOString() ?? null],
    ['Payment link', ({ id }) => id],
    ['Payment number', ({ paymentNumber }) => paymentNumber],
    ['Mode', () => mode],
    ['Status', ({ state }) => PAYMENT_STATES[state]],
    ['Amount (USD)', ({ amountCents }) => dollars(amountCents)],
    ['Fee (USD)', ({ feeCents }) => dollars(feeCents)],
    ['Net (USD)', ({ netCents }) => dollars(netCents)],
    ['Refunded (USD)', ({ refundedCents }) => dollars(refundedCents)],
    ['Taken back (USD)', ({ takenBackCents }) => dollars(takenBackCents)],
    ['Received (USD)', ({ receivedCents }) => dollars(receivedCents)],
    ['Method', ({ paymentMethodType }) => wordOf(PAYMENT_METHODS, paymentMethodType)],
    ['Brand', ({ paymentMethodBrand }) => paymentMethodBrand],
    ['Last four digits', ({ paymentMethodLast4 }) => paymentMethodLast4],
    ['Location', ({ locationName }) => locationName],
    ['Patient', ({ patientFirstName, patientLastName }) => `${patientFirstName} ${patientLastName}`],
    ...LISTED_FIELDS.filter((name) => name !== 'firstName' && name !== 'lastName').map(
      (name): Column => [LINK_FIELD_LABELS[name], (payment) => payment[LINK_FIELDS[name].property]],
    ),
  ];
}

async function* rowsOf(
  { scope }: MemberVisit,
  columns: readonly Column[],
  viewer: Viewer,
  filter: PaymentFilter,
): AsyncGenerator<CsvCell[]> {
  let cursor: PaymentCursor | null = null;
  do {
    const place: PaymentCursor | null = cursor;
    // In the places of their practice, many exports leave connections to others.
    const page: PaymentPage = await withPlace(fresh(scope), (scope) =>
      listPayments(scope, viewer, filter, place, EXPORT_SIZE),
    );
    for (const payment of page.payments) yield columns.map(([, cell]) => cell(payment) ?? '');
    cursor = page.next;
  } while (cursor !== null);
}

function dollars(cents: number | null): number | null {
  return cents === null ? null : cents / 100;
}
