import { answerOnce, keyedRequest } from '../access/sealed-replies.ts';
import type { Operations, WebhookEndpointWithSecret } from '../contract/operations-type.ts';
import { listEnvelope, readListPage } from '../platform/base/list-page.ts';
import type { CallerScope } from '../platform/base/scope.ts';
import { timeBound } from '../platform/base/time/timestamp.ts';
import {
  type CheckUrl,
  createEndpoint,
  deleteEndpoint,
  type EndpointWithSecret,
  getVisibleEndpoint,
  listVisibleEndpoints,
  requirePublicUrl,
  rotateSecret,
  updateEndpoint,
} from './endpoints/service.ts';
import { getVisibleDelivery, listVisibleDeliveries, redeliver, sendExample } from './events/deliveries.ts';
import { type MissedChanges, replay } from './events/replay.ts';
import { createTestPing, listTestEvents } from './events/test-events.ts';
import { deliveryDetailView, deliveryView, endpointView } from './events/views.ts';

/** Creates the operations on endpoints and deliveries. Each unpacks the request, calls a service and returns the reply. */
export function webhookOperations(checkUrl: CheckUrl, missedChanges: MissedChanges) {
  return {
    async listWebhookEndpoints(scope, { query }) {
      return { status: 200, body: listEnvelope(await listVisibleEndpoints(scope, readListPage(query)), endpointView) };
    },

    async createWebhookEndpoint(scope, { body, headers }) {
      const request = keyedRequest('createWebhookEndpoint', headers['idempotency-key'], null, body);
      const create = async (scope: CallerScope) => withSecret(await createEndpoint(scope, body));
      // A replayed reply must not depend on the present answer of a name server.
      const check = () => requirePublicUrl(checkUrl, body.url);
      return { status: 201, ...(await answerOnce(scope, request, create, check)) };
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
      return { status: 202, body: await replay(scope, missedChanges, path.id, timeBound(body.since)) };
    },

    async rotateWebhookEndpointSecret(scope, { path, headers }) {
      const request = keyedRequest('rotateWebhookEndpointSecret', headers['idempotency-key'], path.id);
      const rotate = async (scope: CallerScope) => withSecret(await rotateSecret(scope, path.id));
      return { status: 200, ...(await answerOnce(scope, request, rotate)) };
    },

    async testWebhookEndpoint(scope, { path }) {
      return { status: 202, body: deliveryView(await sendExample(scope, path.id, 'ping')) };
    },

    async listWebhookDeliveries(scope, { query }) {
      const page = readListPage(query);
      const { since, endpointId, paymentLinkId, status, type } = query;
      const filter = { endpointId, paymentLinkId, status, type, since: since === undefined ? since : timeBound(since) };
      return { status: 200, body: listEnvelope(await listVisibleDeliveries(scope, filter, page), deliveryView) };
    },

    async getWebhookDelivery(scope, { path }) {
      const { delivery, attempts } = await getVisibleDelivery(scope, path.id);
      return { status: 200, body: deliveryDetailView(delivery, attempts) };
    },

    async listTestEvents(scope, { query }) {
      return { status: 200, body: await listTestEvents(scope, query) };
    },

    async createTestPing(scope) {
      return { status: 200, body: await createTestPing(scope) };
    },

    async redeliverWebhookDelivery(scope, { path }) {
      return { status: 202, body: deliveryView((await redeliver(scope, path.id)).delivery) };
    },
  } satisfies Partial<Operations<CallerScope>>;
}

function withSecret({ endpoint, secret }: EndpointWithSecret): WebhookEndpointWithSecret {
  return { ...endpointView(endpoint), secret };
}
