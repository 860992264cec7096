import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { ENQUEUE_WAKE_UP } from '../../jobs/wake-up.ts';
import { type EndpointStatus, INITIAL_STATUS } from '../model/transitions.ts';

/** Something that happened, to be told to every endpoint that listens. */
export interface DomainEvent {
  practiceId: string;
  test: boolean;
  locationId: string;
  /** A type of section 6.1 of the interface. */
  type: string;
  paymentLinkId: string;
  /** The event's `data`, as JSON will show it: the resource as of this moment, and the context. */
  data: object;
}

/** One event for one endpoint, to be queued. */
export interface NewDelivery {
  endpoint: { id: string; practiceId: string; test: boolean; status: EndpointStatus };
  type: string;
  /** Null for pings. */
  paymentLinkId: string | null;
  data: object;
  /** Set for an event that a replay makes up for: when it should have gone out. It queues behind everything new. */
  missedAt?: Date;
}

interface Listener {
  id: string;
  practice_id: string;
  test: boolean;
  location_id: string | null;
  enabled_events: string[];
  status: EndpointStatus;
}

/**
 * Mints one event per domainEvent and listening endpoint and queues its delivery, in the caller's transaction: the
 * changes, their events, the deliveries and the doorbells stand or fall together. An endpoint that is disabled gets its
 * delivery as `skipped`, so that a replay finds it. The endpoints are locked against being disabled or deleted by their
 * practice until the transaction ends. Two statements, however many domainEvents.
 *
 * Pass domainEvents in the order in which they happened: ids ascend in that order, and first attempts follow it.
 */
export async function publish(scope: Scope, ...domainEvents: readonly DomainEvent[]): Promise<void> {
  const listeners = await sql<Listener>(
    scope.em,
    `select id, practice_id, test, location_id, enabled_events, status from webhook_endpoints
     where (practice_id, test) in (select * from unnest($1::text[], $2::boolean[])) and deleted_at is null
     order by id for key share`,
    [domainEvents.map(({ practiceId }) => practiceId), domainEvents.map(({ test }) => String(test))],
    { keepPlan: true },
  );
  const deliveries = domainEvents.flatMap((domainEvent) =>
    listeners
      .filter((listener) => isSubscribed(listener, domainEvent))
      .map(({ id, status }) => {
        const { practiceId, test, type, paymentLinkId, data } = domainEvent;
        return { endpoint: { id, status, practiceId, test }, type, paymentLinkId, data };
      }),
  );
  await queueDeliveries(scope, deliveries);
}

/** Practice and mode, and what the endpoint was restricted to. */
function isSubscribed(listener: Listener, { practiceId, test, locationId, type }: DomainEvent): boolean {
  return (
    listener.practice_id === practiceId &&
    listener.test === test &&
    (listener.location_id === null || listener.location_id === locationId) &&
    (listener.enabled_events.length === 0 || listener.enabled_events.includes(type))
  );
}

/**
 * Queues the deliveries and rings once per endpoint, in one statement whatever their number. They are due at once by the
 * shared clock, by which the worker looks, even if this process's clock is ahead of it.
 *
 * @returns the events' ids, in the order of the deliveries.
 */
export async function queueDeliveries(scope: Scope, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const now = scope.clock.now();
  const rows = deliveries.map((delivery) => newRow(delivery, now));
  await sql(
    scope.em,
    `with queued as (
       insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         ladder, rank, due_at, created_at)
       select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, ladder, rank,
         case when due_at is not null then least(due_at, coalesce($3, statement_timestamp())) end, $2
       from json_to_recordset($1) as d (id text, practice_id text, endpoint_id text, payment_link_id text, type text,
         test boolean, status text, payload text, ladder text, rank smallint, due_at timestamptz)
       returning endpoint_id, due_at
     )
     select ${ENQUEUE_WAKE_UP} from (select distinct endpoint_id from queued where due_at is not null) as endpoint`,
    [JSON.stringify(rows), now, scope.clock.shared()],
    { keepPlan: true },
  );
  return rows.map(({ id }) => id);
}

/** The delivery as the JSON of its row. */
function newRow({ endpoint, type, paymentLinkId, data, missedAt }: NewDelivery, now: Date) {
  const id = newId('event', now);
  const { practiceId, test } = endpoint;
  const isFresh = missedAt === undefined;
  return {
    id,
    practice_id: practiceId,
    endpoint_id: endpoint.id,
    payment_link_id: paymentLinkId,
    type,
    test,
    status: INITIAL_STATUS[endpoint.status],
    // A string within the JSON: the column gets these bytes and no others.
    payload: JSON.stringify({ id, object: 'event', type, test, createdAt: now.toISOString(), data }),
    ladder: isFresh ? 'automatic' : 'replay',
    rank: isFresh ? 0 : 2,
    due_at: endpoint.status === 'enabled' ? (missedAt ?? now) : null,
  };
}
