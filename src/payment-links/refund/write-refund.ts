import { auditRows } from '../../audit/record.ts';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { LOCK_WAIT_MS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued, testEventRows } from '../../webhooks/events/publish.ts';
import { domainEventsOf, sendReports } from '../link/change.ts';
import { changedRows, listOf } from '../link/changed-rows.ts';
import { anyLink, type ReadState, readStates } from '../link/read-states.ts';
import type { Decision } from '../link/state.ts';

/*
 * Refunds of practices and operators, by one read and one write without a lock in between, as other changes of links
 * (`link/optimistic-change.ts`). Refunds that a processor reports take `apply-refunds.ts`, in a transaction.
 */

/** Reads a link without a lock. @throws ApiError `not_found` */
export async function readPayment(scope: Scope, linkId: string): Promise<ReadState> {
  const [read] = await readStates(scope, [anyLink(linkId)]);
  if (read === undefined || read === null) throw new ApiError('not_found');
  return read;
}

/** Outcomes of `refund_link`; the comment of the function explains them. */
type Outcome = 'changed' | 'stale' | 'taken';

/** Writes a decision that changes a refund and its payment, if nothing has changed since the read. Publishes its events. */
export async function writeRefund(scope: Scope, read: ReadState, decision: Decision): Promise<Outcome> {
  const { state: after, events, acts } = decision;
  const [refund] = changedRows(read.state.refunds, after.refunds);
  const recorded = refund?.changed === null ? refund.row : undefined;
  const succeeded = refund?.changed ? refund.row : undefined;
  const now = scope.clock.now();
  const published = domainEventsOf(scope, events).map((event) => ({
    ...{ event, deliveries: deliveriesOf(event, read.endpoints) },
  }));
  const testEvents = read.hasReaders ? published.map(({ event }) => event) : [];
  const deliveries = published.flatMap((event) => event.deliveries);
  const eventRows = [...deliveryRows(deliveries, now), ...testEventRows(testEvents, now)];
  const row = (fields: object | undefined) => (fields === undefined ? null : rowJson(fields));
  const [transaction] = changedRows(listOf(read.state.transaction), listOf(after.transaction));
  const [written] = await sql<{ outcome: Outcome }>(
    scope.em,
    'select refund_link($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as outcome',
    [
      ...[read.state.link.id, read.paymentForRefund, events.length === 0 ? null : read.subscriptions],
      ...[row(recorded), row(succeeded), row(transaction?.row)],
      ...[
        JSON.stringify(auditRows(scope, acts)),
        JSON.stringify(eventRows),
        now,
        scope.clock.shared(),
        LOCK_WAIT_MS.fully,
      ],
    ],
    { keepPlan: true },
  );
  if (written === undefined) throw new Error('refund_link returns an outcome');
  if (written.outcome !== 'changed') return written.outcome;
  for (const { event, deliveries } of published) reportEvent(event, deliveries);
  sendReports(scope, decision.reports);
  reportQueued(() => eventRows);
  return 'changed';
}
