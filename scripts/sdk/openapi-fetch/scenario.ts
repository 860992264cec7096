import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './sdk/schema';
import { deliveryFilters, isGenuine, linkBody, linkFilters, reference, sample, step } from './shared';

// Does the steps of `scripts/sdk/steps.ts`, in their order.

type WebhookEvent = components['schemas']['WebhookEvent'];
type KnownWebhookEvent = components['schemas']['KnownWebhookEvent'];

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY } = process.env;

const headers = { Authorization: `Bearer ${PAYLINKS_API_KEY}` };
const service = createClient<paths>({ baseUrl: PAYLINKS_BASE_URL, headers });
const future = createClient<paths>({ baseUrl: PAYLINKS_FUTURE_URL, headers });

const LINKS = '/api/v1/payment-links';
const LINK = '/api/v1/payment-links/{id}';
const CANCEL = '/api/v1/payment-links/{id}/cancel';
const SIMULATE = '/api/v1/payment-links/{id}/simulate';
const REFUND = '/api/v1/test-helpers/payment-links/{id}/refund';
const ENDPOINTS = '/api/v1/webhook-endpoints';
const ENDPOINT = '/api/v1/webhook-endpoints/{id}';
const DELIVERIES = '/api/v1/webhook-deliveries';
const DELIVERY = '/api/v1/webhook-deliveries/{id}';
const REDELIVER = '/api/v1/webhook-deliveries/{id}/redeliver';

/** Returns the data of a response; fails with the error of another one. */
function dataOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

/** Returns the ids of all list pages. */
async function idsOfPages(
  list: (page: number) => Promise<{ data?: { data: { id: string }[]; hasMore: boolean }; error?: unknown }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; ; number++) {
    const page = dataOf(await list(number));
    ids.push(...page.data.map(({ id }) => id));
    if (!page.hasMore) return ids;
  }
}

/** Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered. */
async function payAndRead(id: string): Promise<void> {
  const url = 'https://example.com/webhooks';
  const events = ['payment_link.paid', 'payment_link.refunded'] as const;
  const endpoint = dataOf(await service.POST(ENDPOINTS, { body: { url, enabledEvents: [...events] } }));
  const otherBody = { url: `${url}/other`, enabledEvents: ['payment_link.expired' as const] };
  const other = dataOf(await service.POST(ENDPOINTS, { body: otherBody }));
  const path = { id: endpoint.id };
  try {
    const ids = await idsOfPages((page) => service.GET(ENDPOINTS, { params: { query: { page, pageSize: 1 } } }));
    assert.ok(ids.includes(endpoint.id) && ids.includes(other.id));
    step('list all pages of endpoints');
    const disabled = dataOf(await service.PATCH(ENDPOINT, { params: { path }, body: { enabled: false } }));
    assert.deepEqual([disabled.status, disabled.url], ['disabled', url]);
    step('disable an endpoint');
    await payAndRefund(id);
    const deliveryId = await readDeliveries(id, endpoint.id);
    dataOf(await service.PATCH(ENDPOINT, { params: { path }, body: { enabled: true } }));
    const again = dataOf(await service.POST(REDELIVER, { params: { path: { id: deliveryId } } }));
    assert.deepEqual([again.id, again.status], [deliveryId, 'pending']);
    step('redeliver the event');
  } finally {
    await service.DELETE(ENDPOINT, { params: { path } });
    await service.DELETE(ENDPOINT, { params: { path: { id: other.id } } });
  }
}

async function payAndRefund(id: string): Promise<void> {
  const path = { id };
  const paid = dataOf(await service.POST(SIMULATE, { params: { path }, body: { outcome: 'paid' } }));
  assert.equal(paid.status, 'paid');
  const refunded = dataOf(await service.POST(REFUND, { params: { path }, body: { amount: 25.5 } }));
  assert.deepEqual([refunded.refunds[0]?.amount, refunded.refunds[0]?.status], [25.5, 'succeeded']);
  step('simulate a payment and a refund');
  const links = dataOf(await service.GET(LINKS, { params: { query: linkFilters() } }));
  assert.deepEqual([links.totalCount, links.hasMore, links.data[0]?.id], [1, false, id]);
  step('list links by every filter');
}

/** Returns the id of the delivery of the payment. */
async function readDeliveries(paymentLinkId: string, endpointId: string): Promise<string> {
  const query = deliveryFilters(endpointId, paymentLinkId);
  const found = dataOf(await service.GET(DELIVERIES, { params: { query } }));
  const id = found.data[0]?.id ?? '';
  assert.deepEqual([found.totalCount, found.data[0]?.type], [1, 'payment_link.paid']);
  step('list deliveries by every filter');
  const ids = await idsOfPages((page) =>
    service.GET(DELIVERIES, { params: { query: { endpointId, page, pageSize: 1 } } }),
  );
  assert.deepEqual([ids.length, ids.includes(id)], [2, true]);
  step('list all pages of deliveries');
  const delivery = dataOf(await service.GET(DELIVERY, { params: { path: { id } } }));
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
    params: { header: { 'Idempotency-Key': reference } },
    body: linkBody,
  };
  const link = dataOf(await service.POST(LINKS, request));
  assert.deepEqual([link.status, link.amount, link.paidAt], ['active', 125.5, null]);
  step('create a link');
  const replay = await service.POST(LINKS, request);
  assert.deepEqual(replay.data, link);
  assert.equal(replay.response.headers.get('Idempotency-Replayed'), 'true');
  step('create it again with the same idempotency key');
  const path = { id: link.id };
  assert.deepEqual((await service.GET(LINK, { params: { path } })).data, link);
  step('get the link');

  const ids = [link.id];
  for (const key of ['a', 'b']) {
    const header = { 'Idempotency-Key': `${reference}-${key}` };
    ids.push(dataOf(await service.POST(LINKS, { ...request, params: { header } })).id);
  }
  const query = { externalReference: reference, pageSize: 2 };
  const listed = await idsOfPages((page) => service.GET(LINKS, { params: { query: { ...query, page } } }));
  assert.deepEqual(listed.sort(), [...ids].sort());
  step('list all pages of links');
  await payAndRead(ids[1] ?? '');
  assert.equal((await service.POST(CANCEL, { params: { path } })).data?.status, 'cancelled');
  step('cancel a link');

  const { error } = await service.GET(LINK, { params: { path: { id: 'plink_nobody' } } });
  assert.equal(error?.error.code, 'not_found');
  step('read the code of an error');
  const invalid = await service.POST(LINKS, { ...request, body: { ...request.body, amount: 0 } });
  assert.deepEqual([invalid.error?.error.code, invalid.error?.error.param], ['validation_error', 'amount']);
  step('read the param of an error');
  const later = dataOf(await future.GET(LINK, { params: { path } }));
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  step('read values of a later version');
  assert.equal((await future.POST(CANCEL, { params: { path } })).error?.error.code, 'code_to_come');
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
