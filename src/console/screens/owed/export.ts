import { exportOwed, type OwedRow } from '../../../payment-links/billing/list-owed.ts';
import { clockIn } from '../../../platform/base/time/zoned-time.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { type CsvCell, csvDownload } from '../../../web/csv.ts';
import { LINK_STATUSES } from '../../render/labels.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { type Places, readPlaces } from '../places.ts';
import { readFilter } from './filter.ts';
import { happenedLast } from './list.ts';

/** Sends the owed amounts of the filter as CSV, in the order of the list. The export is in the audit log before its first byte is sent. */
export async function downloadOwed(visit: MemberVisit): Promise<Reply> {
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
  const rows = exportOwed(scope, filter.viewer, filter.query, filter.order);
  return csvDownload(`owed-${mode}-${today}.csv`, header, cellsOf(rows, columns));
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

async function* cellsOf(rows: AsyncIterable<OwedRow>, columns: readonly Column[]): AsyncGenerator<CsvCell[]> {
  for await (const row of rows) yield columns.map(([, cell]) => cell(row) ?? '');
}
