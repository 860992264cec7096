import { newId } from '../base/ids.ts';
import type { Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { RING } from './doorbell.ts';
import type { EndpointStatus } from './transitions.ts';

/** Something that happened, to be told to every endpoint that listens. */
export interface Happening {
  practiceId: string;
  test: boolean;
  locationId: string;
  /** A type of section 6.1 of the interface. */
  type: string;
  paymentLinkId: string;
  /** The event's `data`, as JSON will show it: the resource as of this moment, and the context. */
  data: object;
}

/**
 * Mints one event per listening endpoint and queues its delivery, in the caller's transaction: the change, its events,
 * their deliveries and the doorbell stand or fall together. An endpoint that is disabled gets its delivery as
 * `skipped`, so that a replay finds it.
 *
 * Call it once per event, in the order in which the events happened: ids ascend in that order, and first attempts
 * follow it.
 */
export async function publish(scope: Scope, happening: Happening): Promise<void> {
  const endpoints = await sql<{ id: string; status: EndpointStatus }>(
    scope.em,
    `select id, status from webhook_endpoints
     where practice_id = $1 and test = $2 and (location_id is null or location_id = $3)
       and (enabled_events = '{}' or $4 = any (enabled_events))
     order by id`,
    [happening.practiceId, happening.test, happening.locationId, happening.type],
  );
  if (endpoints.length === 0) return;
  await queueDeliveries(scope, happening, endpoints);
}

/**
 * Queues one delivery of the happening for each of the endpoints.
 *
 * @returns the events' ids, in the order of the endpoints.
 */
export async function queueDeliveries(
  scope: Scope,
  happening: Omit<Happening, 'locationId' | 'paymentLinkId'> & { paymentLinkId: string | null },
  endpoints: readonly { id: string; status: EndpointStatus }[],
): Promise<string[]> {
  const now = scope.clock.now();
  const { type, test } = happening;
  const events = endpoints.map((endpoint) => {
    const id = newId('event', now);
    const body = { id, object: 'event', type, test, createdAt: now.toISOString(), data: happening.data };
    return { id, endpoint, payload: JSON.stringify(body) };
  });
  await sql(
    scope.em,
    `with queued as (
       insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         ladder, due_at, created_at)
       select e.id, $1, e.endpoint_id, $2, $3, $4, e.status, e.payload, 'automatic',
         case e.status when 'pending' then $5::timestamptz end, $5::timestamptz
       from unnest($6::text[], $7::text[], $8::text[], $9::text[]) as e (id, endpoint_id, status, payload)
       returning endpoint_id, status
     )
     select ${RING} from queued where status = 'pending'`,
    [
      happening.practiceId,
      happening.paymentLinkId,
      type,
      test,
      now,
      events.map(({ id }) => id),
      events.map(({ endpoint }) => endpoint.id),
      events.map(({ endpoint }) => (endpoint.status === 'enabled' ? 'pending' : 'skipped')),
      events.map(({ payload }) => payload),
    ],
  );
  return events.map(({ id }) => id);
}
