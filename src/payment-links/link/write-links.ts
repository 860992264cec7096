import type { EntityClass } from '@mikro-orm/postgresql';
import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { LOCK_WAIT_MS, type LockWait } from '../../database/query/batch.ts';
import { jsonRow, tableOf } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued, testEventRows } from '../../webhooks/events/publish.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { domainEventsOf, sendReports } from './change.ts';
import { changedFields, changedRows, listOf } from './changed-rows.ts';
import { needsPatientRecord } from './patients.ts';
import type { ReadState } from './read-states.ts';
import type { Decision, LinkState } from './state.ts';

/** A decision about a link, and the state on which it is based. */
export interface LinkWrite {
  scope: Scope;
  read: ReadState;
  decision: Decision;
  /** Rows of the audit log. */
  acts: readonly object[];
}

/** Outcomes of `write_links`; the comment of the function explains them. */
export type WriteOutcome = 'written' | 'stale' | 'locked';

/** Rows of a link in other tables. The SQL function writes them in an order that suits their references. */
const ROWS: readonly [EntityClass<object>, (state: LinkState) => readonly { id: string; paymentLinkId: string }[]][] = [
  [PaymentAttempt, ({ attempts }) => attempts],
  [Transaction, ({ transaction }) => listOf(transaction)],
  [BankReversal, ({ reversals }) => reversals],
  [Refund, ({ refunds }) => refunds],
  [Dispute, ({ disputes }) => disputes],
];

/** The document of `write_links`: arrays of rows by the names of the parts. */
type Document = Record<string, object[]>;

/**
 * Writes decisions about different links in one statement, each if nothing has changed since its link was read. What is
 * written follows from the difference of the states. Publishes the events.
 *
 * @returns the outcome of each; a decision that changes nothing is written without a statement
 */
export async function writeLinks(writes: readonly LinkWrite[], wait: LockWait): Promise<WriteOutcome[]> {
  const document: Document = {};
  const published = writes.map((write) => addWrite(document, write));
  const places = new Map(document.links?.map((link, index) => [link, index]));
  const [first] = writes;
  if (first === undefined || places.size === 0) return writes.map(() => 'written');
  const { em, clock } = first.scope;
  const rows = await sql<{ outcome: WriteOutcome }>(
    em,
    'select * from write_links($1, $2, $3, $4, $5) as outcome',
    [JSON.stringify(document), clock.now(), clock.shared(), LOCK_WAIT_MS[wait], wait === 'never'],
    { keepPlan: true },
  );
  return published.map(({ link, report }) => {
    const place = link === null ? undefined : places.get(link);
    if (place === undefined) return 'written';
    const outcome = rows[place]?.outcome;
    if (outcome === undefined) throw new Error('write_links returns an outcome for each link');
    if (outcome === 'written') report();
    return outcome;
  });
}

/** Adds to the document what the decision has changed. Returns the link's entry, null if there is none, and the reports. */
function addWrite(document: Document, { scope, read, decision, acts }: LinkWrite) {
  const { state: before, endpoints, subscriptions, hasReaders } = read;
  const { state: after, events } = decision;
  const now = scope.clock.now();
  const add = (part: string, rows: readonly object[]): number => {
    if (rows.length === 0) return 0;
    const list = document[part] ?? [];
    document[part] = list;
    return list.push(...rows);
  };
  const published = domainEventsOf(scope, events).map((event) => ({
    ...{ event, deliveries: deliveriesOf(event, endpoints) },
  }));
  const eventRows = [
    ...deliveryRows(
      published.flatMap(({ deliveries }) => deliveries),
      now,
    ),
    ...testEventRows(hasReaders ? published.map(({ event }) => event) : [], now),
  ];
  const fields = changedFields(before.link, after.link);
  const patient = patientOf(decision, now);
  const changes = ROWS.map(([entity, rowsOf]) => {
    const changed = changedRows(rowsOf(before), rowsOf(after));
    const inserted = changed.flatMap(({ row, changed }) => (changed === null ? [jsonRow(row)] : []));
    const updated = changed.flatMap(({ row: { id, paymentLinkId }, changed }) =>
      changed === null ? [] : [jsonRow({ id, paymentLinkId, ...changed })],
    );
    const table = tableOf(entity);
    return add(`new_${table}`, inserted) + add(table, updated);
  });
  const hasFields = Object.keys(fields).length > 0 || patient !== null;
  const isUnchanged = !hasFields && changes.every((count) => count === 0) && events.length + acts.length === 0;
  if (isUnchanged) return { link: null, report: () => {} };
  const { id, version } = before.link;
  const link = {
    ...{ id, version, patient },
    subscriptions: events.length === 0 ? null : subscriptions,
    fields: hasFields ? jsonRow(fields) : null,
  };
  add('links', [link]);
  add('deliveries', eventRows);
  add(
    'audit',
    acts.map((act) => ({ ...act, link_id: id })),
  );
  const report = () => {
    for (const { event, deliveries } of published) reportEvent(event, deliveries);
    sendReports(scope, decision.reports);
    reportQueued(() => eventRows);
  };
  return { link, report };
}

/** Returns what `write_links` does about the patient record: `match`, the id of a record to make if none matches, or nothing. */
function patientOf({ patient, state: { link } }: Decision, now: Date): string | null {
  if (patient === undefined || link.test) return null;
  if (patient === 'match') return 'match';
  return needsPatientRecord(link) ? newId('patient', now) : null;
}
