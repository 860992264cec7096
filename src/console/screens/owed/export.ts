import type { OwedCursor, OwedPage, OwedRow } from '../../../payment-links/billing/list-owed.ts';
import { listOwed } from '../../../payment-links/billing/list-owed.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { clockIn } from '../../../platform/base/time/zoned-time.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { type CsvCell, csvDownload } from '../../../web/csv.ts';
import { LINK_STATUSES } from '../../render/labels.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { type Places, readPlaces } from '../places.ts';
import { readFilter } from './filter.ts';
import { happenedLast } from './list.ts';

const EXPORT_SIZE = 1_000;

/** Sends the owed amounts of the filter as CSV, in the order of the list. The export is in the audit log before its first byte is sent. */
export async function exportOwed(visit: MemberVisit): Promise<Reply> {
  const { scope, member, mode, actor } = visit;
  const { practiceId } = member;
  const places = await readPlaces(visit);
  const filter = readFilter(visit, places);
  await inTransaction(scope, async (scope) => {
    audit(scope, actor, {
      practiceId,
      action: 'owed.exported',
      target: { kind: 'practice', id: practiceId },
      after: { ...filter.input, mode, locationIds: filter.viewer.locationIds },
    });
  });
  const columns = columnsOf(visit, places);
  const header = columns.map(([title]) => title);
  const today = places.formats.isoDay(scope.clock.now());
  return csvDownload(`owed-${mode}-${today}.csv`, header, rowsOf(visit, columns, filter));
}

type Column = readonly [title: string, cell: (row: OwedRow) => CsvCell | null];

function columnsOf({ mode }: MemberVisit, { formats, nameOf }: Places): Column[] {
  const { timeZone } = formats;
  return [
    [`Since (${timeZone})`, ({ since }) => clockIn(since, timeZone)],
    ['Since (UTC)', ({ since }) => since.toISOString()],
    ['Payment link', ({ id }) => id],
    ['Mode', () => mode],
    ['Status', ({ part }) => LINK_STATUSES[part]],
    ['What happened last', (row) => happenedLast(row, formats)],
    ['Amount (USD)', ({ amountCents }) => amountCents / 100],
    ['Location', ({ locationId }) => nameOf(locationId)],
    ['Patient', ({ firstName, lastName }) => `${firstName} ${lastName}`],
    ['Phone', ({ phone }) => phone],
  ];
}

async function* rowsOf(
  { scope }: MemberVisit,
  columns: readonly Column[],
  { viewer, query, order }: ReturnType<typeof readFilter>,
): AsyncGenerator<CsvCell[]> {
  let cursor: OwedCursor | null = null;
  do {
    const page: OwedPage = await listOwed(fresh(scope), viewer, query, { order, cursor, size: EXPORT_SIZE });
    for (const row of page.rows) yield columns.map(([, cell]) => cell(row) ?? '');
    cursor = page.next;
  } while (cursor !== null);
}
