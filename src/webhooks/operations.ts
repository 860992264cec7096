import { listEnvelope, pageOf } from '../base/paging.ts';
import type { CallerScope } from '../base/scope.ts';
import type { Operations } from '../contract/operations-type.ts';
import { getVisibleDelivery, listVisibleDeliveries, redeliver, sendPing } from './deliveries.ts';
import { type MissedChanges, replay } from './replay.ts';
import {
  type CheckUrl,
  createEndpoint,
  deleteEndpoint,
  getVisibleEndpoint,
  listVisibleEndpoints,
  rotateSecret,
  updateEndpoint,
} from './service.ts';
import { deliveryDetailView, deliveryView, endpointView } from './views.ts';

/** The operations on endpoints and deliveries: unpack, call, answer. */
export function webhookOperations(checkUrl: CheckUrl, missedChanges: MissedChanges) {
  return {
    async listWebhookEndpoints(scope, { query }) {
      const page = pageOf(query);
      return { status: 200, body: listEnvelope(await listVisibleEndpoints(scope, page), endpointView, page) };
    },

    async createWebhookEndpoint(scope, { body }) {
      const { endpoint, secret } = await createEndpoint(scope, checkUrl, body);
      return { status: 201, body: { ...endpointView(endpoint), secret } };
    },

    async getWebhookEndpoint(scope, { path }) {
      return { status: 200, body: endpointView(await getVisibleEndpoint(scope, path.id)) };
    },

    async updateWebhookEndpoint(scope, { path, body }) {
      return { status: 200, body: endpointView(await updateEndpoint(scope, checkUrl, path.id, body)) };
    },

    async deleteWebhookEndpoint(scope, { path }) {
      await deleteEndpoint(scope, path.id);
      return { status: 204 };
    },

    async replayWebhookEndpoint(scope, { path, body }) {
      return { status: 202, body: await replay(scope, missedChanges, path.id, new Date(body.since)) };
    },

    async rotateWebhookEndpointSecret(scope, { path }) {
      const { endpoint, secret } = await rotateSecret(scope, path.id);
      return { status: 200, body: { ...endpointView(endpoint), secret } };
    },

    async testWebhookEndpoint(scope, { path }) {
      return { status: 202, body: deliveryView(await sendPing(scope, path.id)) };
    },

    async listWebhookDeliveries(scope, { query }) {
      const page = pageOf(query);
      const { since, endpointId, paymentLinkId, status, type } = query;
      const filter = { endpointId, paymentLinkId, status, type, since: since === undefined ? since : new Date(since) };
      return { status: 200, body: listEnvelope(await listVisibleDeliveries(scope, filter, page), deliveryView, page) };
    },

    async getWebhookDelivery(scope, { path }) {
      const { delivery, attempts } = await getVisibleDelivery(scope, path.id);
      return { status: 200, body: deliveryDetailView(delivery, attempts) };
    },

    async redeliverWebhookDelivery(scope, { path }) {
      return { status: 202, body: deliveryView(await redeliver(scope, path.id)) };
    },
  } satisfies Partial<Operations<CallerScope>>;
}
