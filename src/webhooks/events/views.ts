import type {
  WebhookDeliveryDetail,
  WebhookDelivery as WebhookDeliveryResource,
  WebhookEndpoint as WebhookEndpointResource,
} from '../../contract/operations-type.ts';
import type { WebhookAttempt } from '../model/attempt.entity.ts';
import type { WebhookDelivery } from '../model/delivery.entity.ts';
import type { WebhookEndpoint } from '../model/endpoint.entity.ts';
import type { ListedDelivery } from './deliveries.ts';

export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointResource {
  const { id, url, description, locationId, status, test, createdAt } = endpoint;
  return {
    id,
    object: 'webhook_endpoint',
    url,
    enabledEvents: endpoint.enabledEvents,
    description,
    locationId,
    status,
    test,
    createdAt: createdAt.toISOString(),
  };
}

export function deliveryView(delivery: ListedDelivery): WebhookDeliveryResource {
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    endpointId: delivery.endpointId,
    paymentLinkId: delivery.paymentLinkId,
    type: delivery.type,
    test: delivery.test,
    status: delivery.status,
    attemptCount: delivery.attemptCount,
    createdAt: delivery.createdAt.toISOString(),
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
    nextAttemptAt: delivery.status === 'retrying' ? (delivery.dueAt?.toISOString() ?? null) : null,
    lastResponseStatus: delivery.lastResponseStatus,
    lastError: delivery.lastError,
  };
}

export function deliveryDetailView(delivery: WebhookDelivery, attempts: WebhookAttempt[]): WebhookDeliveryDetail {
  return {
    ...deliveryView(delivery),
    payload: delivery.payload,
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      startedAt: attempt.startedAt.toISOString(),
      // The duration of an interrupted attempt is unknown. The row contains the time until it was ended.
      durationMs: attempt.error === 'interrupted' ? null : attempt.durationMs,
      responseStatus: attempt.responseStatus,
      error: attempt.error,
    })),
  };
}
