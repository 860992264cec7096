import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './sdk/schema';
import { deliveryFilters, endpointBody, futureEvent, linkBody, linkFilters, linkHeaders } from './shared';

// Uses the operations of proofs/sdk/requests.ts, and reads values of a later version.

type WebhookEvent = components['schemas']['WebhookEvent'];
type KnownWebhookEvent = components['schemas']['KnownWebhookEvent'];

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY } = process.env;

const headers = { Authorization: `Bearer ${PAYLINKS_API_KEY}` };
const service = createClient<paths>({ baseUrl: PAYLINKS_BASE_URL, headers });
const future = createClient<paths>({ baseUrl: PAYLINKS_FUTURE_URL, headers });

/** Returns the data of a response; fails with the error of another one. */
function dataOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function useService(): Promise<void> {
  const request = { params: { header: linkHeaders }, body: linkBody };
  const link = dataOf(await service.POST('/api/v1/payment-links', request));
  assert.deepEqual([link.status, link.amount, link.paidAt], ['active', 125.5, null]);
  const replay = await service.POST('/api/v1/payment-links', request);
  assert.deepEqual([replay.data, replay.response.headers.get('Idempotency-Replayed')], [link, 'true']);
  const endpoint = dataOf(await service.POST('/api/v1/webhook-endpoints', { body: endpointBody }));
  const params = { path: { id: endpoint.id } };
  const changed = await service.PATCH('/api/v1/webhook-endpoints/{id}', { params, body: { enabled: false } });
  assert.deepEqual([changed.data?.status, changed.data?.url], ['disabled', endpointBody.url]);
  const payment = { params: { path: { id: link.id } }, body: { outcome: 'paid' as const } };
  const paid = dataOf(await service.POST('/api/v1/payment-links/{id}/simulate', payment));
  assert.equal(paid.status, 'paid');
  const links = dataOf(await service.GET('/api/v1/payment-links', { params: { query: linkFilters } }));
  assert.deepEqual([links.totalCount, links.hasMore, links.data[0]?.id], [1, false, link.id]);
  const query = deliveryFilters(endpoint.id, link.id);
  const found = dataOf(await service.GET('/api/v1/webhook-deliveries', { params: { query } }));
  const id = found.data[0]?.id ?? '';
  assert.deepEqual([found.totalCount, found.data[0]?.type], [1, 'payment_link.paid']);
  const delivery = dataOf(await service.GET('/api/v1/webhook-deliveries/{id}', { params: { path: { id } } }));
  const event: WebhookEvent = JSON.parse(delivery.payload);
  assert.deepEqual([event.id, event.type, event.data.paymentLink?.id], [id, 'payment_link.paid', link.id]);
  const known: KnownWebhookEvent = JSON.parse(delivery.payload);
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  const { response } = await service.DELETE('/api/v1/webhook-endpoints/{id}', { params });
  assert.equal(response.status, 204);
  const { error } = await service.POST('/api/v1/payment-links', { ...request, body: { ...linkBody, amount: 0 } });
  assert.deepEqual([error?.error.code, error?.error.param], ['validation_error', 'amount']);
}

async function useFuture(): Promise<void> {
  const params = { path: { id: 'plink_later' } };
  const later = dataOf(await future.GET('/api/v1/payment-links/{id}', { params }));
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  const refused = await future.POST('/api/v1/payment-links/{id}/cancel', { params });
  assert.equal(refused.error?.error.code, 'code_to_come');
}

function parseFutureEvent(): void {
  const event: WebhookEvent = futureEvent;
  assert.deepEqual([event.type, event.data.paymentLink], ['payment_link.admired', undefined]);
  assert.equal(event.data.context?.triggeredBy, 'kiosk');
}

useService().then(useFuture).then(parseFutureEvent);
