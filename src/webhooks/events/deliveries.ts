import { LockMode } from '@mikro-orm/postgresql';
import { readExample } from '../../contract/document.ts';
import type { EventType, PaymentLinkEventType } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import { type ListPage, type ListQuery, listPage, pageOffset } from '../../platform/base/list-page.ts';
import type { AccessScope } from '../../platform/base/scope.ts';
import { stateAfter, transition } from '../../platform/base/state-machine.ts';
import {
  type PropertyOf,
  propertiesWithout,
  rowReader,
  selectList,
  type Texts,
} from '../../platform/database/query/columns.ts';
import { type Bind, createBindings, sql } from '../../platform/database/query/sql.ts';
import { inSnapshot, inTransaction } from '../../platform/database/query/transaction.ts';
import { WAKE_UP } from '../../platform/jobs/wake-up.ts';
import { auditOwnAct } from '../../practices/audit/audit.ts';
import { auditEndpointAct } from '../endpoints/acts.ts';
import { getVisibleEndpoint, listVisibleEndpointIds, requireDeliverable } from '../endpoints/service.ts';
import { ASKED_TO_WAIT_UNTIL, WebhookAttempt } from '../model/attempt.entity.ts';
import { WebhookDelivery } from '../model/delivery.entity.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import { type EventContent, queueDeliveries } from './publish.ts';

/** An absent field means all deliveries that the key sees. */
export interface DeliveryFilter {
  endpointId?: string;
  paymentLinkId?: string;
  status?: DeliveryStatus;
  type?: EventType;
  since?: Date;
}

/** Without the payload, which is long. */
export type ListedDelivery = Pick<WebhookDelivery, Exclude<PropertyOf<WebhookDelivery>, 'payload'>>;

const LISTED = selectList(WebhookDelivery, 'd', propertiesWithout(WebhookDelivery, ['payload']));
const readListed = rowReader(WebhookDelivery);

/** Returns one page of the deliveries that the key sees, newest first. */
export async function listVisibleDeliveries(
  scope: AccessScope,
  filter: DeliveryFilter,
  page: ListQuery,
): Promise<ListPage<ListedDelivery>> {
  // At most ten: none that is deleted or of another location.
  const visibleIds = await listVisibleEndpointIds(scope);
  const endpointIds = visibleIds.filter((id) => filter.endpointId === undefined || id === filter.endpointId);
  const offset = pageOffset(page);
  const { values, bind } = createBindings();
  const ids = bind(endpointIds);
  const conditions = writeConditions(filter, bind);
  const [counts] = await sql<{ total: number }>(
    scope.em,
    `select count(*)::integer as total from webhook_deliveries where endpoint_id = any (${ids}) ${conditions}`,
    values,
  );
  const total = counts?.total ?? 0;
  if (offset >= total) return listPage([], total, page);
  // Rows instead of entities: nothing changes them, and fifty entities cost more than their statement.
  const rows = await sql<Texts<ListedDelivery>>(
    scope.em,
    // Plan hint LIMITED_PIECES: each endpoint's index has its deliveries in this order.
    `select ${LISTED} from (
       select piece.id, piece.created_at from unnest(${ids}::text[]) as endpoint (id), lateral (
         select id, created_at from webhook_deliveries where endpoint_id = endpoint.id ${conditions}
         order by created_at desc, id desc limit ${bind(offset + page.pageSize + 1)}
       ) as piece
       order by created_at desc, id desc limit ${bind(page.pageSize + 1)} offset ${bind(offset)}
     ) as page join webhook_deliveries d on d.id = page.id
     order by page.created_at desc, page.id desc`,
    values,
  );
  const deliveries = rows.map((row) => readListed<ListedDelivery>(row));
  return listPage(deliveries, total, page);
}

function writeConditions({ paymentLinkId, status, type, since }: DeliveryFilter, bind: Bind): string {
  const conditions: string[] = [];
  if (paymentLinkId !== undefined) conditions.push(`and payment_link_id = ${bind(paymentLinkId)}`);
  if (status !== undefined) conditions.push(`and status = ${bind(status)}`);
  if (type !== undefined) conditions.push(`and type = ${bind(type)}`);
  if (since !== undefined) conditions.push(`and created_at >= ${bind(since)}`);
  return conditions.join(' ');
}

/** Returns a delivery with its attempts, of one moment. @throws ApiError `not_found` */
export function getVisibleDelivery(
  scope: AccessScope,
  id: string,
): Promise<{ delivery: WebhookDelivery; attempts: WebhookAttempt[] }> {
  return inSnapshot(scope, async (scope) => {
    const delivery = await findVisible(scope, id, LockMode.NONE);
    const attempts = await scope.em.find(WebhookAttempt, { deliveryId: id }, { orderBy: { number: 'asc' } });
    return { delivery, attempts };
  });
}

/** @throws ApiError `not_found`, `endpoint_disabled`, `webhooks_unavailable` */
async function lockDeliverable(scope: AccessScope, id: string): Promise<WebhookDelivery> {
  const delivery = await findVisible(scope, id, LockMode.PESSIMISTIC_WRITE);
  requireDeliverable(scope, await getVisibleEndpoint(scope, delivery.endpointId));
  return delivery;
}

function auditDelivery(scope: AccessScope, act: string, id: string, before: object, after?: object): void {
  const { practiceId } = scope.caller;
  auditOwnAct(scope, { practiceId, action: `delivery.${act}`, target: { kind: 'delivery', id }, before, after });
}

/** Queues a delivery again, with the same bytes, unless it waits. @throws ApiError as `lockDeliverable` */
export function redeliver(
  scope: AccessScope,
  id: string,
): Promise<{ delivery: WebhookDelivery; isQueuedAgain: boolean }> {
  return inTransaction(scope, async (scope) => {
    const delivery = await lockDeliverable(scope, id);
    const { status } = delivery;
    if (transition(DELIVERY, status, 'redeliver') === null) return { delivery, isQueuedAgain: false };
    await sql(
      scope.em,
      `with again as (
         update webhook_deliveries set status = $3, delivery_run = 'redelivery', run_attempts = 0, rank = 1,
           due_at = coalesce($2, statement_timestamp())
         where id = $1 returning endpoint_id
       )
       select ${WAKE_UP} from again`,
      [id, scope.clock.shared(), stateAfter(DELIVERY, 'redeliver')],
    );
    await scope.em.refresh(delivery);
    auditDelivery(scope, 'redelivered', id, { status }, { status: delivery.status });
    return { delivery, isQueuedAgain: true };
  });
}

/**
 * Makes the next attempt of a delivery due now, if it waits for its retry. The attempt counts as one of its delivery
 * run, so nobody can send more requests this way. If the receiver asked to wait longer, nothing changes: an earlier
 * attempt would fail, and use up one of the eight.
 * @returns true if the attempt is due now
 * @throws ApiError as `lockDeliverable`
 */
export function retryNow(scope: AccessScope, id: string): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const { status, dueAt } = await lockDeliverable(scope, id);
    if (status !== 'retrying' || dueAt === null) return false;
    const wakeUps = await sql(
      scope.em,
      `with hurried as (
         update webhook_deliveries d set due_at = coalesce($2, statement_timestamp())
         where id = $1 and due_at > coalesce($2, statement_timestamp()) and not exists (
           select from webhook_attempts a
           where a.delivery_id = d.id and a.number = d.attempt_count
             and ${ASKED_TO_WAIT_UNTIL} > coalesce($2, statement_timestamp())
         )
         returning endpoint_id
       )
       select ${WAKE_UP} from hurried`,
      [id, scope.clock.shared()],
    );
    if (wakeUps.length === 0) return false;
    auditDelivery(scope, 'retried', id, { dueAt: dueAt.toISOString() });
    return true;
  });
}

/**
 * Queues the contract's example of an event for the endpoint, whatever it subscribes to.
 * @throws ApiError as `lockDeliverable`; `test_mode_only` for live payments that never were
 */
export function sendExample(scope: AccessScope, endpointId: string, type: EventType): Promise<WebhookDelivery> {
  if (type !== 'ping' && !scope.caller.test) throw new ApiError('test_mode_only');
  const content = type === 'ping' ? ({ type, data: {} } as const) : simulatedExample(type);
  return inTransaction(scope, async (scope) => {
    const endpoint = await getVisibleEndpoint(scope, endpointId);
    requireDeliverable(scope, endpoint);
    const [id] = await queueDeliveries(scope, [{ endpoint, paymentLinkId: null, content }]);
    if (id === undefined) throw new Error('one endpoint makes one event');
    auditEndpointAct(scope, 'tested', endpoint);
    return scope.em.findOneOrFail(WebhookDelivery, { id });
  });
}

/** The example says that it was simulated, unless it says who acted. */
function simulatedExample(type: PaymentLinkEventType): EventContent {
  const { paymentLink, context } = readExample(type).data;
  const data = { paymentLink: { ...paymentLink, test: true }, context: { triggeredBy: 'simulated', ...context } };
  // The example has this type, and each type allows this context.
  return { type, data } as EventContent;
}

async function findVisible(scope: AccessScope, id: string, lockMode: LockMode): Promise<WebhookDelivery> {
  const { practiceId, test } = scope.caller;
  const where = { id, practiceId, test };
  const delivery = isId('event', id)
    ? await scope.em.findOne(WebhookDelivery, where, { lockMode, populate: ['payload'] })
    : null;
  if (delivery === null) throw new ApiError('not_found');
  // A delivery of a deleted endpoint, or of one outside the key's pin, does not exist for the key.
  await getVisibleEndpoint(scope, delivery.endpointId);
  return delivery;
}
