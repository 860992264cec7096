import type { EventOf, EventType, PaymentLinkEventType, WebhookEvent } from '../../contract/operations-type.ts';
import { report } from '../../platform/base/diagnostics.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { afterCommit } from '../../platform/database/query/transaction.ts';
import { type EndpointStatus, INITIAL_STATUS } from '../model/transitions.ts';

export type EventContent<Type extends EventType = EventType> = {
  [Each in Type]: { type: Each; data: EventOf<Each>['data'] };
}[Type];

export interface DomainEvent {
  practiceId: string;
  test: boolean;
  locationId: string;
  paymentLinkId: string;
  content: EventContent<PaymentLinkEventType>;
}

export interface NewDelivery {
  endpoint: { id: string; practiceId: string; test: boolean; status: EndpointStatus };
  /** Null for pings and examples. */
  paymentLinkId: string | null;
  content: EventContent;
  /** Time that only replays set. The delivery queues behind all new events. */
  missedAt?: Date;
}

/** The SQL function `subscription_of` makes the same object. */
export interface Subscription {
  id: string;
  status: EndpointStatus;
  locationId: string | null;
  /** Empty for all types. */
  enabledEvents: readonly string[];
}

/** @param endpoints of the event's practice and mode */
export function makeDeliveries(domainEvent: DomainEvent, endpoints: readonly Subscription[]): NewDelivery[] {
  const { practiceId, test, paymentLinkId, content } = domainEvent;
  return endpoints
    .filter(({ locationId }) => locationId === null || locationId === domainEvent.locationId)
    .filter(({ enabledEvents }) => enabledEvents.length === 0 || enabledEvents.includes(content.type))
    .map(({ id, status }) => ({ endpoint: { id, status, practiceId, test }, paymentLinkId, content }));
}

/**
 * Queues the deliveries and wakes up their endpoints. They are due by the clock of the workers, even if the clock of
 * this process is ahead.
 * @returns the events' ids, in the order of the deliveries
 */
export async function queueDeliveries(scope: Scope, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const now = scope.clock.now();
  const rows = deliveryRows(deliveries, now);
  const values = [JSON.stringify(rows), now, scope.clock.shared()];
  await sql(scope.em, 'select queue_deliveries($1, null, $2, $3)', values, { keepPlan: true });
  afterCommit(scope, () => reportQueued(() => rows));
  return rows.map(({ id }) => id);
}

/** Call it after the commit. */
export function reportEvent({ content: { type } }: DomainEvent, deliveries: readonly NewDelivery[]): void {
  report('event', () => ({ type, deliveries: deliveries.length }));
}

/** Call it after the commit. Test events have no traces. */
export function reportQueued(rows: () => readonly EventRow[]): void {
  report('deliveries_queued', () =>
    rows().flatMap(({ id, type, endpoint_id }) => (endpoint_id === null ? [] : [{ eventId: id, type }])),
  );
}

/** A row for `queue_deliveries`: a delivery, or a test event, which has no endpoint. */
export type EventRow = ReturnType<typeof deliveryRows>[number] | ReturnType<typeof testEventRows>[number];

/** Ids ascend in the order of the events. */
export function testEventRows(testEvents: readonly DomainEvent[], now: Date) {
  return testEvents.map(({ practiceId, locationId, paymentLinkId, content }) => {
    const event = makeEvent(content, true, now);
    return {
      id: event.id,
      practice_id: practiceId,
      endpoint_id: null,
      location_id: locationId,
      payment_link_id: paymentLinkId,
      type: event.type,
      payload: JSON.stringify(event),
      created_at: event.createdAt,
    };
  });
}

/** Ids ascend in the order of the deliveries. */
export function deliveryRows(deliveries: readonly NewDelivery[], now: Date) {
  return deliveries.map(({ endpoint, paymentLinkId, content, missedAt }) => {
    const { practiceId, test, status } = endpoint;
    const event = makeEvent(content, test, now);
    const isFresh = missedAt === undefined;
    return {
      id: event.id,
      practice_id: practiceId,
      endpoint_id: endpoint.id,
      payment_link_id: paymentLinkId,
      type: event.type,
      test,
      status: INITIAL_STATUS[status],
      // A string within the JSON, so that the column gets exactly these bytes.
      payload: JSON.stringify(event),
      delivery_run: isFresh ? 'automatic' : 'replay',
      rank: isFresh ? 0 : 2,
      due_at: status === 'enabled' ? (missedAt ?? now) : null,
      created_at: event.createdAt,
    };
  });
}

function makeEvent({ type, data }: EventContent, test: boolean, now: Date): WebhookEvent {
  return { id: newId('event', now), object: 'event', type, test, createdAt: now.toISOString(), data };
}
