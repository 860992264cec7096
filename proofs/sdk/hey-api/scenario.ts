import assert from 'node:assert/strict';
import type { KnownWebhookEvent, WebhookEvent } from './sdk';
import {
  cancelPaymentLink,
  createPaymentLink,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getPaymentLink,
  getWebhookDelivery,
  listPaymentLinks,
  listWebhookDeliveries,
  simulatePaymentLink,
  updateWebhookEndpoint,
} from './sdk';
import { createClient } from './sdk/client';
import { deliveryFilters, endpointBody, futureEvent, linkBody, linkFilters, linkHeaders } from './shared';

// Uses the operations of proofs/sdk/requests.ts, and reads values of a later version.

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY } = process.env;

const client = createClient({ baseUrl: PAYLINKS_BASE_URL, auth: PAYLINKS_API_KEY });
const future = createClient({ baseUrl: PAYLINKS_FUTURE_URL, auth: PAYLINKS_API_KEY });
const throwOnError = true;

async function useService(): Promise<void> {
  const request = { client, headers: linkHeaders, body: linkBody };
  const { data: link } = await createPaymentLink({ ...request, throwOnError });
  assert.deepEqual([link.status, link.amount, link.paidAt], ['active', 125.5, null]);
  const replay = await createPaymentLink({ ...request, throwOnError });
  assert.deepEqual([replay.data, replay.response.headers.get('Idempotency-Replayed')], [link, 'true']);
  const { data: endpoint } = await createWebhookEndpoint({ client, body: endpointBody, throwOnError });
  const path = { id: endpoint.id };
  const disabled = await updateWebhookEndpoint({ client, path, body: { enabled: false }, throwOnError });
  assert.deepEqual([disabled.data.status, disabled.data.url], ['disabled', endpointBody.url]);
  const ofLink = { client, path: { id: link.id } };
  const { data: paid } = await simulatePaymentLink({ ...ofLink, body: { outcome: 'paid' }, throwOnError });
  assert.equal(paid.status, 'paid');
  const { data: links } = await listPaymentLinks({ client, query: linkFilters, throwOnError });
  assert.deepEqual([links.totalCount, links.hasMore, links.data[0]?.id], [1, false, link.id]);
  const query = deliveryFilters(endpoint.id, link.id);
  const { data: found } = await listWebhookDeliveries({ client, query, throwOnError });
  const id = found.data[0]?.id ?? '';
  assert.deepEqual([found.totalCount, found.data[0]?.type], [1, 'payment_link.paid']);
  const { data: delivery } = await getWebhookDelivery({ client, path: { id }, throwOnError });
  const event: WebhookEvent = JSON.parse(delivery.payload);
  assert.deepEqual([event.id, event.type, event.data.paymentLink?.id], [id, 'payment_link.paid', link.id]);
  const known: KnownWebhookEvent = JSON.parse(delivery.payload);
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  await deleteWebhookEndpoint({ client, path, throwOnError });
  const { error } = await createPaymentLink({ ...request, body: { ...linkBody, amount: 0 } });
  assert.deepEqual([error?.error.code, error?.error.param], ['validation_error', 'amount']);
}

async function useFuture(): Promise<void> {
  const path = { id: 'plink_later' };
  const { data: later } = await getPaymentLink({ client: future, path, throwOnError });
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  const refused = await cancelPaymentLink({ client: future, path });
  assert.equal(refused.error?.error.code, 'code_to_come');
}

function parseFutureEvent(): void {
  const event: WebhookEvent = futureEvent;
  assert.deepEqual([event.type, event.data.paymentLink], ['payment_link.admired', undefined]);
  assert.equal(event.data.context?.triggeredBy, 'kiosk');
}

useService().then(useFuture).then(parseFutureEvent);
