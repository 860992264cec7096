import { report } from '../../base/diagnostics.ts';
import { newId } from '../../base/ids.ts';
import { modeName, type Scope } from '../../base/scope.ts';
import type { LockWait } from '../../database/query/batch.ts';
import { afterCommit } from '../../database/query/transaction.ts';
import {
  type DomainEvent,
  deliveriesOf,
  deliveryRows,
  type NewDelivery,
  reportEvent,
  reportQueued,
  testEventRows,
} from '../../webhooks/events/publish.ts';
import { changedFields } from '../link/changed-fields.ts';
import type { Draft } from '../link/draft.ts';
import { contentOf } from '../link/events.ts';
import type { Decision, Report } from '../link/state.ts';
import { linkEventView } from '../link/views.ts';
import type { LinkRead, LinkStore, LinkWrite, Rows, WriteOutcome } from './port.ts';

/* The write of decisions: the difference of two states, with events, mails and entries of the audit log, and the reports after it. */

/** All changes of a batch to one link so far, with their decisions joined into one. */
export interface JoinedChanges {
  scope: Scope;
  changeCount: number;
  /** True if no change has read the link: all start from `known`. Only a write then finds out that it is stale. */
  isKnown: boolean;
  raisesVersion: boolean;
  read: LinkRead;
  decision: Draft;
  /** Rows of the audit log. Each change has its own actor. */
  audit: object[];
}

/**
 * Writes the decisions, and sends their reports after the commit. Returns the outcomes. If a link stays as it is, nothing is
 * written, and it has no outcome. If it was not read either, it is `stale`.
 */
export async function writeAll(
  store: LinkStore,
  links: readonly JoinedChanges[],
  wait: LockWait,
): Promise<Map<JoinedChanges, WriteOutcome>> {
  const results = new Map<JoinedChanges, WriteOutcome>();
  const unwritten: JoinedChanges[] = [];
  const changed = links.flatMap((joined) => {
    const publishing = writeOf(joined.scope, joined.read, joined.decision, joined.audit);
    if (publishing === null && joined.isKnown) results.set(joined, { outcome: 'stale' });
    else if (publishing === null) unwritten.push(joined);
    if (publishing === null) return [];
    joined.raisesVersion = publishing.write.fields !== null;
    return [{ joined, ...publishing }];
  });
  const [first] = changed;
  const outcomes =
    first === undefined
      ? []
      : await store.write(
          first.joined.scope,
          changed.map(({ write }) => write),
          wait,
        );
  // After the write, because a batch that failed for a lock is decided again.
  for (const { scope, decision } of unwritten) afterCommit(scope, () => sendReports(scope, decision.reports));
  for (const [index, { joined, write, published }] of changed.entries()) {
    const written = outcomes[index];
    if (written === undefined) throw new Error('the store returns an outcome for each write');
    results.set(joined, written);
    if (written.outcome !== 'written') continue;
    afterCommit(joined.scope, () => {
      for (const { event, deliveries } of published) reportEvent(event, deliveries);
      sendReports(joined.scope, joined.decision.reports);
      reportQueued(() => write.events);
    });
  }
  return results;
}

/** A write, with the events and deliveries that it publishes. */
interface Publishing {
  write: LinkWrite;
  published: readonly { event: DomainEvent; deliveries: readonly NewDelivery[] }[];
}

/** Returns the write of the decision; null if it changes nothing. */
export function writeOf(
  scope: Scope,
  { state: before, stamp, endpoints, hasTestEventClients }: LinkRead,
  decision: Decision,
  audit: readonly object[],
): Publishing | null {
  const { state: after } = decision;
  const { link } = after;
  const now = scope.clock.now();
  const published = domainEventsOf(scope, decision.events).map((event) => ({
    event,
    deliveries: deliveriesOf(event, endpoints),
  }));
  const deliveries = published.flatMap(({ deliveries }) => deliveries);
  const testEvents = hasTestEventClients ? published.map(({ event }) => event) : [];
  const rows = {
    attempts: rowsBetween(before.attempts, after.attempts),
    transactions: rowsBetween(listOf(before.transaction), listOf(after.transaction)),
    reversals: rowsBetween(before.reversals, after.reversals),
    refunds: rowsBetween(before.refunds, after.refunds),
    disputes: rowsBetween(before.disputes, after.disputes),
  };
  // The write raises the version.
  const { version: _, ...fields } = changedFields(before.link, link);
  const patient = patientOf(decision, now);
  const parts: readonly Rows<{ id: string }>[] = Object.values(rows);
  const hasRows = parts.some(({ inserted, updated }) => inserted.length + updated.length > 0);
  // A change of `reconcileAt` alone raises the version, too, because another decision may rely on it.
  const isState = Object.keys(fields).length > 0 || patient !== null || hasRows;
  const mails = link.test ? [] : decision.mails.map((mail) => ({ ...mail, paymentLinkId: link.id }));
  if (!isState && published.length + mails.length + audit.length === 0) return null;
  const write: LinkWrite = {
    linkId: link.id,
    practiceId: link.practiceId,
    stamp: { version: stamp.version, subscriptions: published.length === 0 ? null : stamp.subscriptions },
    fields: isState ? fields : null,
    patient,
    ...rows,
    events: [...deliveryRows(deliveries, now), ...testEventRows(testEvents, now)],
    mails,
    audit,
  };
  return { write, published };
}

const listOf = <Row>(row: Row | null): readonly Row[] => (row === null ? [] : [row]);

/** Returns the rows that are new, and the changed fields of the others. */
function rowsBetween<Row extends { id: string; paymentLinkId: string }>(
  before: readonly Row[],
  after: readonly Row[],
): Rows<Row> {
  const former = new Map(before.map((row) => [row.id, row]));
  return {
    inserted: after.filter(({ id }) => !former.has(id)),
    updated: after.flatMap((row) => {
      const { id, paymentLinkId } = row;
      const fields = changedFields(former.get(id) ?? row, row);
      return Object.keys(fields).length === 0 ? [] : [{ ...fields, id, paymentLinkId }];
    }),
  };
}

/** Returns the events of a decision as endpoints receive them, in their order. */
function domainEventsOf(scope: Scope, events: Decision['events']): DomainEvent[] {
  return events.map(({ event, state }) => {
    const { practiceId, test, locationId, id: paymentLinkId } = state.link;
    const content = contentOf(event, linkEventView(scope, state.link, state));
    return { practiceId, test, locationId, paymentLinkId, content };
  });
}

/** Returns the write's step for the patient record. A test link has no record. A paid link keeps the record that it has. */
function patientOf({ patient, state: { link } }: Decision, now: Date): LinkWrite['patient'] {
  if (patient === undefined || link.test) return null;
  if (patient === 'match') return 'match';
  return link.patientId === null ? { id: newId('patient', now) } : null;
}

/** Sends the reports of a decision. Call it after the commit. */
function sendReports({ log }: Scope, reports: readonly Report[]): void {
  for (const each of reports) {
    switch (each.kind) {
      case 'log':
        log[each.level](each.fields, each.message);
        break;
      case 'attempt_closed':
        report('payment_attempt_closed', () => ({ outcome: each.outcome }));
        break;
      case 'payment_status':
        report('payment_status', () => ({ status: each.status, mode: modeName(each) }));
        break;
      default:
        each satisfies never;
    }
  }
}
