import { type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import { findPage, type Page } from '../base/paging.ts';
import type { CallerScope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { stateAfter, transition } from '../base/state-machine.ts';
import { WebhookAttempt } from './attempt.entity.ts';
import { WebhookDelivery } from './delivery.entity.ts';
import { RING } from './doorbell.ts';
import { queueDeliveries } from './publish.ts';
import { getVisibleEndpoint, idsOfVisibleEndpoints, requireEnabled, requireSigning } from './service.ts';
import { DELIVERY, type DeliveryStatus } from './transitions.ts';

/** What a list of deliveries may be narrowed to. */
export interface DeliveryFilter {
  endpointId?: string;
  paymentLinkId?: string;
  status?: DeliveryStatus;
  type?: string;
  /** Created at or after. */
  since?: Date;
}

/** One page of the deliveries the key sees, newest first, without payloads, and how many there are in all. */
export async function listVisibleDeliveries(
  scope: CallerScope,
  filter: DeliveryFilter,
  page: Page,
): Promise<[WebhookDelivery[], number]> {
  const { practiceId, test } = scope.caller;
  const { endpointId, paymentLinkId, status, type, since } = filter;
  // At most ten: a key sees the deliveries of the endpoints it sees, so none of deleted ones or of other locations'.
  const endpointIds = await idsOfVisibleEndpoints(scope);
  const where: FilterQuery<WebhookDelivery>[] = [{ endpointId: { $in: endpointIds } }];
  if (endpointId !== undefined) where.push({ endpointId });
  if (paymentLinkId !== undefined) where.push({ paymentLinkId });
  if (status !== undefined) where.push({ status });
  if (type !== undefined) where.push({ type });
  if (since !== undefined) where.push({ createdAt: { $gte: since } });
  // The endpoints say it all; practice and mode are the index that has all of theirs in order.
  const inOrder: FilterQuery<WebhookDelivery> = { $and: [{ practiceId, test }, ...where] };
  return findPage(scope.em, WebhookDelivery, inOrder, { createdAt: 'desc', id: 'desc' }, page, { $and: where });
}

/** A delivery with its payload and attempts, if the key sees it. @throws ApiError `not_found` */
export async function getVisibleDelivery(
  scope: CallerScope,
  id: string,
): Promise<{ delivery: WebhookDelivery; attempts: WebhookAttempt[] }> {
  const delivery = await findVisible(scope, id, LockMode.NONE);
  const attempts = await scope.em.find(WebhookAttempt, { deliveryId: id }, { orderBy: { number: 'asc' } });
  return { delivery, attempts };
}

/**
 * Queues a delivery again: same event, same bytes, a fresh ladder. What is waiting already is left alone.
 *
 * @throws ApiError `not_found`, `endpoint_disabled`, `webhooks_unavailable`
 */
export function redeliver(scope: CallerScope, id: string): Promise<WebhookDelivery> {
  return inTransaction(scope, async (scope) => {
    const delivery = await findVisible(scope, id, LockMode.PESSIMISTIC_WRITE);
    const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
    requireEnabled(endpoint);
    requireSigning(scope, endpoint);
    if (transition(DELIVERY, delivery.status, 'redeliver') === null) return delivery;
    await sql(
      scope.em,
      `with again as (
         update webhook_deliveries set status = $3, ladder = 'redelivery', ladder_attempts = 0, rank = 1,
           due_at = coalesce($2, statement_timestamp())
         where id = $1 returning endpoint_id
       )
       select ${RING} from again`,
      [id, scope.clock.shared(), stateAfter(DELIVERY, 'redeliver')],
    );
    await scope.em.refresh(delivery);
    return delivery;
  });
}

/**
 * Queues a `ping` for the endpoint and nobody else.
 *
 * @throws ApiError `not_found`, `endpoint_disabled`, `webhooks_unavailable`
 */
export function sendPing(scope: CallerScope, endpointId: string): Promise<WebhookDelivery> {
  return inTransaction(scope, async (scope) => {
    const endpoint = await getVisibleEndpoint(scope, endpointId);
    requireEnabled(endpoint);
    requireSigning(scope, endpoint);
    const [id] = await queueDeliveries(scope, [{ endpoint, type: 'ping', paymentLinkId: null, data: {} }]);
    if (id === undefined) throw new Error('one endpoint makes one event');
    return scope.em.findOneOrFail(WebhookDelivery, { id });
  });
}

async function findVisible(scope: CallerScope, id: string, lockMode: LockMode): Promise<WebhookDelivery> {
  const { practiceId, test } = scope.caller;
  const where = { id, practiceId, test };
  const delivery = isId('event', id)
    ? await scope.em.findOne(WebhookDelivery, where, { lockMode, populate: ['payload'] })
    : null;
  if (delivery === null) throw new ApiError('not_found');
  // What belongs to an endpoint that is deleted, or outside the key's pin, is the same 404.
  await getVisibleEndpoint(scope, delivery.endpointId);
  return delivery;
}
