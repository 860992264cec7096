import { firstIdAt } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { deleteFirst } from '../../platform/database/query/delete-first.ts';
import { type SqlValue, sql } from '../../platform/database/query/sql.ts';

/** Time from the delivery (openapi.yaml, tag `Webhook deliveries`). */
const DELIVERED_KEPT_MS = 30 * 86_400_000;

/** Time from the event, of exhausted, skipped and waiting ones. */
const OTHERS_KEPT_MS = 90 * 86_400_000;

/** Time from the last attempt of a redelivery or replay of an older event, so that its client sees how it ended. */
const REQUESTED_KEPT_MS = 30 * 86_400_000;

/** The attempts of a delivery, up to eight per delivery run, are deleted with it. */
const BATCH_ROWS = 1_000;

const timeBefore = ({ clock }: Scope, ms: number) => new Date(clock.now().getTime() - ms);

/** @returns true when there may be more */
export async function purgeOldDeliveries(scope: Scope): Promise<boolean> {
  const createdBefore = timeBefore(scope, OTHERS_KEPT_MS);
  const delivered = `status = 'delivered' and delivered_at < $1 order by delivered_at`;
  const undelivered = `id < $1 and created_at < $2 and status <> 'delivered'
    and (delivery_run = 'automatic' or (due_at is null and coalesce(last_attempt_at, created_at) < $3)) order by id`;
  const times = [firstIdAt('event', createdBefore), createdBefore, timeBefore(scope, REQUESTED_KEPT_MS)];
  const more = [
    await deleteDeliveries(scope, delivered, [timeBefore(scope, DELIVERED_KEPT_MS)]),
    await deleteDeliveries(scope, undelivered, times),
  ];
  return more.includes(true);
}

/** @returns true when there may be more */
export async function purgeDeletedEndpoints(scope: Scope): Promise<boolean> {
  const ofDeleted = 'endpoint_id in (select id from webhook_endpoints where deleted_at is not null)';
  const empty =
    'deleted_at is not null and not exists (select from webhook_deliveries d where d.endpoint_id = webhook_endpoints.id)';
  const more = [await deleteDeliveries(scope, ofDeleted), await deleteFirst(scope, 'webhook_endpoints', empty)];
  return more.includes(true);
}

function deleteDeliveries(scope: Scope, which: string, values?: SqlValue[]): Promise<boolean> {
  return deleteFirst(scope, 'webhook_deliveries', which, values, BATCH_ROWS);
}

/** @returns true when there may be more */
export async function forgetFormerSecrets(scope: Scope): Promise<boolean> {
  const endpoints = await sql(
    scope.em,
    `update webhook_endpoints set previous_secret_ciphertext = null, previous_secret_until = null where id in (
       select id from webhook_endpoints where previous_secret_until <= $1
       limit $2 for no key update skip locked
     ) returning id`,
    [scope.clock.now(), BATCH_ROWS],
  );
  return endpoints.length === BATCH_ROWS;
}

/** Age of test events and clients (openapi.yaml, operation `listTestEvents`, as the next limit): 48 hours. */
const KEPT_MS = 48 * 3_600_000;

const KEPT_EVENTS = 10_000;

/** @returns true if there may be more */
export async function purgeTestEvents(scope: Scope): Promise<boolean> {
  const before = timeBefore(scope, KEPT_MS);
  await sql(scope.em, 'delete from test_event_readers where read_at < $1', [before]);
  const which = 'id < $1 and created_at < $2 order by id';
  return deleteFirst(scope, 'test_events', which, [firstIdAt('event', before), before], BATCH_ROWS);
}

/**
 * Deletes the oldest test events of one practice that has more than 10,000, and records for its clients which.
 * @returns true if there may be more
 */
export async function trimTestEvents(scope: Scope): Promise<boolean> {
  // One practice a statement, so that several workers do not lock the rows of clients in different orders.
  const clients = await sql(
    scope.em,
    `with full_practice as (
       select r.practice_id, e.made_by, e.id
       from test_event_readers r, lateral (
         select made_by, id from test_events where practice_id = r.practice_id
         order by made_by desc, id desc offset $1 limit 1
       ) e
       order by r.practice_id limit 1
     ), deleted as (
       delete from test_events where id in (
         select t.id from test_events t join full_practice f on t.practice_id = f.practice_id
         where (t.made_by, t.id) <= (f.made_by, f.id)
         order by t.made_by, t.id limit $2 for update of t skip locked
       ) returning made_by
     )
     update test_event_readers r set dropped_by = greatest(r.dropped_by, d.made_by)
     from full_practice f, (select made_by from deleted order by made_by desc limit 1) d
     where r.practice_id = f.practice_id returning 1`,
    [KEPT_EVENTS, BATCH_ROWS],
  );
  return clients.length > 0;
}
