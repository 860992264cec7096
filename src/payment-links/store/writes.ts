import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import {
  type DomainEvent,
  deliveriesOf,
  deliveryRows,
  type NewDelivery,
  testEventRows,
} from '../../webhooks/events/publish.ts';
import { changedFields, changedRows, listOf } from '../link/changed-rows.ts';
import { contentOf } from '../link/events.ts';
import type { Decision } from '../link/state.ts';
import { linkEventView } from '../link/views.ts';
import type { Read, Rows, Write } from './port.ts';

/* The write of a decision: the difference of two states, with events, mails and entries of the audit log. */

/** A write, with the events and deliveries that it publishes. */
export interface Publishing {
  write: Write;
  published: readonly { event: DomainEvent; deliveries: readonly NewDelivery[] }[];
}

/** Returns the write of the decision; null if it changes nothing. */
export function writeOf(
  scope: Scope,
  { state: before, stamp, endpoints, hasTestEventClients }: Read,
  decision: Decision,
  audit: readonly object[],
): Publishing | null {
  const { state: after } = decision;
  const { link } = after;
  const now = scope.clock.now();
  const published = domainEventsOf(scope, decision.events).map((event) => ({
    ...{ event, deliveries: deliveriesOf(event, endpoints) },
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
  const write: Write = {
    ...{ linkId: link.id, practiceId: link.practiceId },
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

function rowsBetween<Row extends { id: string; paymentLinkId: string }>(
  before: readonly Row[],
  after: readonly Row[],
): Rows<Row> {
  const changes = changedRows(before, after);
  return {
    inserted: changes.flatMap(({ row, changed }) => (changed === null ? [row] : [])),
    updated: changes.flatMap(({ row: { id, paymentLinkId }, changed }) =>
      changed === null ? [] : [{ ...changed, id, paymentLinkId }],
    ),
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
function patientOf({ patient, state: { link } }: Decision, now: Date): Write['patient'] {
  if (patient === undefined || link.test) return null;
  if (patient === 'match') return 'match';
  return link.patientId === null ? { id: newId('patient', now) } : null;
}
