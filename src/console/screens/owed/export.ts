import { exportOwed, type OwedRow } from '../../../payment-links/billing/list-owed.ts';
import { clockIn } from '../../../platform/base/time/zoned-time.ts';
import { type CsvColumn, csvDownload } from '../../../web/csv.ts';
import { LINK_STATUSES } from '../../render/labels.ts';
import { auditExport } from '../../routing/patient-views.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { type PracticeView, readPracticeView } from '../formats.ts';
import { readFilter } from './filter.ts';
import { happenedLast } from './list.ts';

/** Sends the owed amounts of the filter as CSV, in the order of the list. The export is in the audit log before its first byte is sent. */
export async function downloadOwed(visit: MemberVisit): Promise<Reply> {
  const { scope, mode } = visit;
  const view = await readPracticeView(visit);
  const { input, viewer, query, order } = readFilter(visit, view);
  await auditExport(visit, 'owed.exported', input, viewer);
  const filename = `owed-${mode}-${view.formats.isoDay(scope.clock.now())}.csv`;
  return csvDownload(filename, columnsOf(visit, view), exportOwed(scope, viewer, query, order));
}

function columnsOf({ mode }: MemberVisit, { formats, locationName }: PracticeView): CsvColumn<OwedRow>[] {
  const { timeZone } = formats;
  return [
    [`Since (${timeZone})`, ({ since }) => clockIn(since, timeZone)],
    ['Since (UTC)', ({ since }) => since.toISOString()],
    ['Payment link', ({ id }) => id],
    ['Mode', () => mode],
    ['Status', ({ part }) => LINK_STATUSES[part]],
    ['What happened last', (row) => happenedLast(row, formats)],
    ['Amount (USD)', ({ amountCents }) => amountCents / 100],
    ['Location', ({ locationId }) => locationName(locationId)],
    ['Patient', ({ firstName, lastName }) => `${firstName} ${lastName}`],
    ['Phone', ({ phone }) => phone],
  ];
}
