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
  listWebhookEndpoints,
  redeliverWebhookDelivery,
  simulatePaymentLink,
  simulateRefund,
  updateWebhookEndpoint,
} from './sdk';
import { createClient } from './sdk/client';
import { deliveryFilters, isGenuine, linkBody, linkFilters, reference, sample, step } from './shared';

// Does the steps of `scripts/sdk/steps.ts`, in their order.

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY } = process.env;

const service = createClient({ baseUrl: PAYLINKS_BASE_URL, auth: PAYLINKS_API_KEY });
const future = createClient({ baseUrl: PAYLINKS_FUTURE_URL, auth: PAYLINKS_API_KEY });
const client = service;
const throwOnError = true;

/** Returns the ids of all list pages. */
async function idsOfPages(
  list: (page: number) => Promise<{ data: { data: { id: string }[]; hasMore: boolean } }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; ; number++) {
    const { data: page } = await list(number);
    ids.push(...page.data.map(({ id }) => id));
    if (!page.hasMore) return ids;
  }
}

/** Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered. */
async function payAndRead(id: string): Promise<void> {
  const url = 'https://example.com/webhooks';
  const events = ['payment_link.paid', 'payment_link.refunded'] as const;
  const { data: endpoint } = await createWebhookEndpoint({
    client,
    body: { url, enabledEvents: [...events] },
    throwOnError,
  });
  const { data: other } = await createWebhookEndpoint({
    client,
    body: { url: `${url}/other`, enabledEvents: ['payment_link.expired'] },
    throwOnError,
  });
  try {
    const ids = await idsOfPages((page) =>
      listWebhookEndpoints({ client, query: { page, pageSize: 1 }, throwOnError }),
    );
    assert.ok(ids.includes(endpoint.id) && ids.includes(other.id));
    step('list all pages of endpoints');
    const path = { id: endpoint.id };
    const disabled = await updateWebhookEndpoint({ client, path, body: { enabled: false }, throwOnError });
    assert.deepEqual([disabled.data.status, disabled.data.url], ['disabled', url]);
    step('disable an endpoint');
    await payAndRefund(id);
    const deliveryId = await readDeliveries(id, endpoint.id);
    await updateWebhookEndpoint({ client, path, body: { enabled: true }, throwOnError });
    const again = await redeliverWebhookDelivery({ client, path: { id: deliveryId }, throwOnError });
    assert.deepEqual([again.data.id, again.data.status], [deliveryId, 'pending']);
    step('redeliver the event');
  } finally {
    await deleteWebhookEndpoint({ client, path: { id: endpoint.id }, throwOnError });
    await deleteWebhookEndpoint({ client, path: { id: other.id }, throwOnError });
  }
}

async function payAndRefund(id: string): Promise<void> {
  const paid = await simulatePaymentLink({ client, path: { id }, body: { outcome: 'paid' }, throwOnError });
  assert.equal(paid.data.status, 'paid');
  const { data: refunded } = await simulateRefund({ client, path: { id }, body: { amount: 25.5 }, throwOnError });
  assert.deepEqual([refunded.refunds[0]?.amount, refunded.refunds[0]?.status], [25.5, 'succeeded']);
  step('simulate a payment and a refund');
  const { data: links } = await listPaymentLinks({ client, query: linkFilters(), throwOnError });
  assert.deepEqual([links.totalCount, links.hasMore, links.data[0]?.id], [1, false, id]);
  step('list links by every filter');
}

/** Returns the id of the delivery of the payment. */
async function readDeliveries(paymentLinkId: string, endpointId: string): Promise<string> {
  const query = deliveryFilters(endpointId, paymentLinkId);
  const { data: found } = await listWebhookDeliveries({ client, query, throwOnError });
  const id = found.data[0]?.id ?? '';
  assert.deepEqual([found.totalCount, found.data[0]?.type], [1, 'payment_link.paid']);
  step('list deliveries by every filter');
  const ids = await idsOfPages((page) =>
    listWebhookDeliveries({ client, query: { endpointId, page, pageSize: 1 }, throwOnError }),
  );
  assert.deepEqual([ids.length, ids.includes(id)], [2, true]);
  step('list all pages of deliveries');
  const { data: delivery } = await getWebhookDelivery({ client, path: { id }, throwOnError });
  const event: WebhookEvent = JSON.parse(delivery.payload);
  assert.deepEqual([event.id, event.type, event.data.paymentLink?.id], [id, 'payment_link.paid', paymentLinkId]);
  step('get a delivery with its payload');
  return id;
}

function eventOf(name: string): WebhookEvent {
  return JSON.parse(sample(name));
}

async function main(): Promise<void> {
  const request = {
    client,
    headers: { 'Idempotency-Key': reference },
    body: linkBody,
  };
  const { data: link } = await createPaymentLink({ ...request, throwOnError });
  assert.deepEqual([link.status, link.amount, link.paidAt], ['active', 125.5, null]);
  step('create a link');
  const replay = await createPaymentLink({ ...request, throwOnError });
  assert.deepEqual(replay.data, link);
  assert.equal(replay.response.headers.get('Idempotency-Replayed'), 'true');
  step('create it again with the same idempotency key');
  assert.deepEqual((await getPaymentLink({ client, path: { id: link.id }, throwOnError })).data, link);
  step('get the link');

  const ids = [link.id];
  for (const key of ['a', 'b']) {
    const headers = { 'Idempotency-Key': `${reference}-${key}` };
    ids.push((await createPaymentLink({ ...request, headers, throwOnError })).data.id);
  }
  const query = { externalReference: reference, pageSize: 2 };
  const listed = await idsOfPages((page) => listPaymentLinks({ client, query: { ...query, page }, throwOnError }));
  assert.deepEqual(listed.sort(), [...ids].sort());
  step('list all pages of links');
  await payAndRead(ids[1] ?? '');
  const { data: cancelled } = await cancelPaymentLink({ client, path: { id: link.id }, throwOnError });
  assert.equal(cancelled.status, 'cancelled');
  step('cancel a link');

  const { error } = await getPaymentLink({ client, path: { id: 'plink_nobody' } });
  assert.equal(error?.error.code, 'not_found');
  step('read the code of an error');
  const invalid = await createPaymentLink({ ...request, body: { ...request.body, amount: 0 } });
  assert.deepEqual([invalid.error?.error.code, invalid.error?.error.param], ['validation_error', 'amount']);
  step('read the param of an error');
  const { data: later } = await getPaymentLink({ client: future, path: { id: link.id }, throwOnError });
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  step('read values of a later version');
  const refused = await cancelPaymentLink({ client: future, path: { id: link.id } });
  assert.equal(refused.error?.error.code, 'code_to_come');
  step('read an error code of a later version');

  const body = sample('known.json');
  assert.deepEqual([isGenuine(body), isGenuine(`${body} `)], [true, false]);
  step('verify a signature');
  const known: KnownWebhookEvent = JSON.parse(body);
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  step('parse an event');
  assert.equal(eventOf('unknown-type.json').type, 'payment_link.admired');
  step('parse an event of an unknown type');
  assert.equal(eventOf('unknown-values.json').data.paymentLink?.source, 'kiosk');
  step('parse an event with unknown values');
}

main();
