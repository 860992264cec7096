import { audit } from '../../../audit/audit.ts';
import { fresh } from '../../../base/scope.ts';
import { addDays, clockIn } from '../../../base/time/zoned-time.ts';
import { inPlace, inTransaction } from '../../../database/query/transaction.ts';
import {
  type ListedPayment,
  listPayments,
  type PaymentCursor,
  type PaymentFilter,
  type PaymentPage,
} from '../../../payment-links/billing/list-payments.ts';
import type { Viewer } from '../../../payment-links/model/staff-status.ts';
import { practiceTimeZone } from '../../../practices/time-zone.ts';
import { csvDownload } from '../../render/csv.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { actorOf, invalidForm, visibleLocations } from '../../routing/visit.ts';
import { TEXTS, wordOf } from '../../texts/texts.ts';
import { filteredViewer, filterOf, inputOf, isRange } from './input.ts';
import { showPayments } from './list.ts';
import { type Formats, formatsOf } from './visit.ts';

const EXPORT_SIZE = 1_000;

/** A year with its leap day. More would keep a connection of the server busy for too long. */
const MAX_DAYS = 366;

const DEFAULT_DAYS = 365;

/**
 * Sends the payments of the filter as CSV, newest first. They are read in pages while the client takes them, so a slow
 * client keeps no statement open. The export is in the audit log before its first byte is sent.
 */
export async function exportPayments(visit: MemberVisit): Promise<Reply> {
  const { scope, member, language } = visit;
  const formats = formatsOf(visit, await practiceTimeZone(scope, member.practiceId));
  const typed = inputOf(visit.fields);
  // Each value of the entry is one that the practice has, and no text of the form's sender.
  if (typed.location !== '' && !(await visibleLocations(visit)).some(({ id }) => id === typed.location)) {
    return invalidForm();
  }
  const to = typed.to === '' ? formats.isoDay(scope.clock.now()) : typed.to;
  const from = typed.from === '' ? addDays(to, 1 - DEFAULT_DAYS) : typed.from;
  if (!isRange({ from, to }, MAX_DAYS)) return showPayments(visit, TEXTS[language].payments.exportTooLong);
  const input = { ...typed, from, to };
  const viewer = filteredViewer(visit, input);
  await inTransaction(scope, async (scope) => {
    const { practiceId } = member;
    audit(scope, actorOf(visit), {
      practiceId,
      action: 'payments.exported',
      target: { kind: 'practice', id: practiceId },
      after: { ...input, mode: formats.mode, locationIds: viewer.locationIds },
    });
  });
  return csvDownload(
    `payments-${formats.mode}-${from}-${to}.csv`,
    headerOf(formats),
    rowsOf(visit, formats, viewer, filterOf(input, formats.timeZone)),
  );
}

function headerOf({ language, timeZone }: Formats): string[] {
  const { csv: t } = TEXTS[language].payments;
  return [
    ...[`${t.paid} (${timeZone})`, t.paidUtc, `${t.settled} (${timeZone})`, t.settledUtc, t.link, t.number, t.mode],
    ...[t.state, t.amount, t.fee, t.net, t.refunded, t.method, t.brand, t.last4, t.location],
    ...[t.patient, t.patientId, t.reference, t.description],
  ];
}

async function* rowsOf(
  { scope }: MemberVisit,
  formats: Formats,
  viewer: Viewer,
  filter: PaymentFilter,
): AsyncGenerator<string[]> {
  let cursor: PaymentCursor | null = null;
  do {
    const place: PaymentCursor | null = cursor;
    // In the places of their practice, many exports leave connections to others.
    const page: PaymentPage = await inPlace(fresh(scope), (scope) =>
      listPayments(scope, viewer, filter, place, EXPORT_SIZE),
    );
    for (const payment of page.payments) yield fieldsOf(formats, payment);
    cursor = page.next;
  } while (cursor !== null);
}

function fieldsOf({ language, timeZone, mode }: Formats, payment: ListedPayment): string[] {
  const t = TEXTS[language].payments;
  const { paidAt, processedAt } = payment;
  return [
    clockIn(paidAt, timeZone),
    paidAt.toISOString(),
    processedAt === null ? '' : clockIn(processedAt, timeZone),
    processedAt?.toISOString() ?? '',
    payment.id,
    payment.paymentNumber ?? '',
    t.csv.modes[mode],
    t.states[payment.state],
    dollars(payment.amountCents),
    payment.feeCents === null ? '' : dollars(payment.feeCents),
    payment.netCents === null ? '' : dollars(payment.netCents),
    dollars(payment.refundedCents),
    wordOf(t.methods, payment.paymentMethodType),
    payment.paymentMethodBrand ?? '',
    payment.paymentMethodLast4 ?? '',
    payment.locationName,
    `${payment.patientFirstName} ${payment.patientLastName}`,
    payment.patientExternalId ?? '',
    payment.externalReference ?? '',
    payment.description,
  ];
}

/** Writes cents as dollars that spreadsheets read as a number: `1250.50`. */
function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}
