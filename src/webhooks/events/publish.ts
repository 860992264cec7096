import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import type { EventEnvelope, EventOf, EventType, PaymentLinkEventType } from '../../contract/operations-type.ts';
import { sql } from '../../database/query/sql.ts';
import { ENQUEUE_WAKE_UP } from '../../jobs/wake-up.ts';
import { type EndpointStatus, INITIAL_STATUS } from '../model/transitions.ts';

/** Type of an event with its `data`, as the contract's `webhooks` describe the data of this type. */
export type EventContent<Type extends EventType = EventType> = {
  [Each in Type]: { type: Each; data: EventOf<Each>['data'] };
}[Type];

/** A change of state that subscribed endpoints are notified of. */
export interface DomainEvent {
  practiceId: string;
  test: boolean;
  locationId: string;
  paymentLinkId: string;
  content: EventContent<PaymentLinkEventType>;
}

/** A delivery that is to be queued: one event for one endpoint. */
export interface NewDelivery {
  endpoint: { id: string; practiceId: string; test: boolean; status: EndpointStatus };
  /** Null for pings. */
  paymentLinkId: string | null;
  content: EventContent;
  /** Time at which a missed event should have been sent; set by replays only. It queues behind all new events. */
  missedAt?: Date;
}

interface Endpoint {
  id: string;
  practice_id: string;
  test: boolean;
  location_id: string | null;
  enabled_events: string[];
  status: EndpointStatus;
}

/**
 * Creates one event per domain event and subscribed endpoint, and queues its delivery. The caller's transaction commits
 * the changes, events, deliveries and wake-up jobs together. A disabled endpoint gets its delivery as `skipped`, so that a
 * replay finds it. Until the transaction ends, the practice cannot disable or delete the endpoints. Two statements.
 *
 * @param domainEvents in the order in which they happened; ids ascend in this order, and first attempts follow it
 */
export async function publish(scope: Scope, ...domainEvents: readonly DomainEvent[]): Promise<void> {
  const endpoints = await sql<Endpoint>(
    scope.em,
    `select id, practice_id, test, location_id, enabled_events, status from webhook_endpoints
     where (practice_id, test) in (select * from unnest($1::text[], $2::boolean[])) and deleted_at is null
     order by id for key share`,
    [domainEvents.map(({ practiceId }) => practiceId), domainEvents.map(({ test }) => String(test))],
    { keepPlan: true },
  );
  const deliveries = domainEvents.flatMap((domainEvent) =>
    endpoints
      .filter((endpoint) => isSubscribed(endpoint, domainEvent))
      .map(({ id, status }) => {
        const { practiceId, test, paymentLinkId, content } = domainEvent;
        return { endpoint: { id, status, practiceId, test }, paymentLinkId, content };
      }),
  );
  await queueDeliveries(scope, deliveries);
}

/** Compares practice and mode, and the endpoint's filters of location and type. */
function isSubscribed(endpoint: Endpoint, { practiceId, test, locationId, content }: DomainEvent): boolean {
  return (
    endpoint.practice_id === practiceId &&
    endpoint.test === test &&
    (endpoint.location_id === null || endpoint.location_id === locationId) &&
    (endpoint.enabled_events.length === 0 || endpoint.enabled_events.includes(content.type))
  );
}

/**
 * Queues the deliveries and one wake-up job per endpoint, in one statement. They are due at once by the shared clock,
 * which the worker uses, even if the clock of this process is ahead of it.
 *
 * @returns the events' ids, in the order of the deliveries
 */
export async function queueDeliveries(scope: Scope, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const now = scope.clock.now();
  const rows = deliveries.map((delivery) => newRow(delivery, now));
  await sql(
    scope.em,
    `with queued as (
       insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         delivery_run, rank, due_at, created_at)
       select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run, rank,
         case when due_at is not null then least(due_at, coalesce($3, statement_timestamp())) end, $2
       from json_to_recordset($1) as d (id text, practice_id text, endpoint_id text, payment_link_id text, type text,
         test boolean, status text, payload text, delivery_run text, rank smallint, due_at timestamptz)
       returning endpoint_id, due_at
     )
     select ${ENQUEUE_WAKE_UP} from (select distinct endpoint_id from queued where due_at is not null) as endpoint`,
    [JSON.stringify(rows), now, scope.clock.shared()],
    { keepPlan: true },
  );
  return rows.map(({ id }) => id);
}

/** Returns the row of a delivery, for JSON. */
function newRow({ endpoint, paymentLinkId, content, missedAt }: NewDelivery, now: Date) {
  const id = newId('event', now);
  const { type, data } = content;
  const { practiceId, test } = endpoint;
  const isFresh = missedAt === undefined;
  const event: EventEnvelope = { id, object: 'event', type, test, createdAt: now.toISOString(), data };
  return {
    id,
    practice_id: practiceId,
    endpoint_id: endpoint.id,
    payment_link_id: paymentLinkId,
    type,
    test,
    status: INITIAL_STATUS[endpoint.status],
    // A string within the JSON, so that the column gets exactly these bytes.
    payload: JSON.stringify(event),
    delivery_run: isFresh ? 'automatic' : 'replay',
    rank: isFresh ? 0 : 2,
    due_at: endpoint.status === 'enabled' ? (missedAt ?? now) : null,
  };
}
