import { report } from '../../platform/base/diagnostics.ts';
import { newId } from '../../platform/base/ids.ts';
import { modeName, type Scope } from '../../platform/base/scope.ts';
import { afterCommit } from '../../platform/database/query/transaction.ts';
import { auditRows } from '../../practices/audit/audit.ts';
import {
  type DomainEvent,
  deliveryRows,
  makeDeliveries,
  type NewDelivery,
  reportEvent,
  reportQueued,
  testEventRows,
} from '../../webhooks/events/publish.ts';
import { makeContent } from '../state/events.ts';
import { changedFields, Draft, type Report } from '../state/state.ts';
import { linkEventView } from '../state/views.ts';
import type { LinkRead, LinkWrite, Rows } from './port.ts';

/* The write of decisions: the difference of two states, with events, mails and entries of the audit log, and the reports after it. */

export interface DecidedWrite {
  draft: Draft;
  /** Null if the decision changes nothing. It may still have reports. */
  write: LinkWrite | null;
  published: readonly { event: DomainEvent; deliveries: readonly NewDelivery[] }[];
}

/** Decides on a draft of the link, and makes the write of the difference. @throws errors of `decide`, which refuse the change */
export function decideWrite(scope: Scope, read: LinkRead, decide: (draft: Draft) => void): DecidedWrite {
  const { state: before, stamp, endpoints, hasTestEventClients } = read;
  const draft = new Draft(before);
  decide(draft);
  const { state: after } = draft;
  const { link } = after;
  const now = scope.clock.now();
  const published = draft.events.map((each) => {
    const event = makeDomainEvent(scope, each);
    return { event, deliveries: makeDeliveries(event, endpoints) };
  });
  const deliveries = published.flatMap(({ deliveries }) => deliveries);
  const testEvents = hasTestEventClients ? published.map(({ event }) => event) : [];
  const audit = auditRows(scope, draft.acts);
  const rows = {
    attempts: rowsBetween(before.attempts, after.attempts),
    transactions: rowsBetween(toArray(before.transaction), toArray(after.transaction)),
    reversals: { inserted: rowsBetween(before.reversals, after.reversals).inserted, updated: [] },
    refunds: rowsBetween(before.refunds, after.refunds),
    disputes: rowsBetween(before.disputes, after.disputes),
  };
  // The write raises the version.
  const { version: _, ...fields } = changedFields(before.link, link);
  const patient = choosePatientStep(draft, now);
  const parts: readonly Rows<{ id: string }>[] = Object.values(rows);
  const hasRows = parts.some(({ inserted, updated }) => inserted.length + updated.length > 0);
  // A change of `reconcileAt` alone raises the version, too: a refund relies on a time that is soon enough.
  const isState = Object.keys(fields).length > 0 || patient !== null || hasRows;
  const mails = link.test ? [] : draft.mails.map((mail) => ({ ...mail, paymentLinkId: link.id }));
  if (!isState && published.length + mails.length + audit.length === 0) return { draft, write: null, published };
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
  return { draft, write, published };
}

/** Reports a decision that was written, or that changes nothing, after the commit. */
export function reportDecision(scope: Scope, { draft, write, published }: DecidedWrite): void {
  afterCommit(scope, () => {
    for (const { event, deliveries } of published) reportEvent(event, deliveries);
    for (const each of draft.reports) sendReport(scope, each);
    if (write !== null) reportQueued(() => write.events);
  });
}

const toArray = <Row>(row: Row | null): readonly Row[] => (row === null ? [] : [row]);

/** Returns the rows that are new, and the changed fields of the others. */
function rowsBetween<Row extends { id: string; paymentLinkId: string }>(
  before: readonly Row[],
  after: readonly Row[],
): Rows<Row> {
  const rowsBefore = new Map(before.map((row) => [row.id, row]));
  return {
    inserted: after.filter(({ id }) => !rowsBefore.has(id)),
    updated: after.flatMap((row) => {
      const { id, paymentLinkId } = row;
      const fields = changedFields(rowsBefore.get(id) ?? row, row);
      return Object.keys(fields).length === 0 ? [] : [{ ...fields, id, paymentLinkId }];
    }),
  };
}

function makeDomainEvent(scope: Scope, { event, state }: Draft['events'][number]): DomainEvent {
  const { practiceId, test, locationId, id: paymentLinkId } = state.link;
  const content = makeContent(event, linkEventView(scope, state.link, state));
  return { practiceId, test, locationId, paymentLinkId, content };
}

/** Returns the write's step for the patient record. A test link has no record. A paid link keeps the record that it has. */
function choosePatientStep({ patient, state: { link } }: Draft, now: Date): LinkWrite['patient'] {
  if (patient === undefined || link.test) return null;
  if (patient === 'match') return 'match';
  return link.patientId === null ? { id: newId('patient', now) } : null;
}

function sendReport({ log }: Scope, each: Report): void {
  if (each.kind === 'log') log[each.level](each.fields, each.message);
  else if (each.kind === 'attempt_closed') report('payment_attempt_closed', () => ({ outcome: each.outcome }));
  else report('payment_status', () => ({ status: each.status, mode: modeName(each) }));
}
