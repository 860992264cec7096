import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './sdk/schema';

// Creates, replays, reads, lists and pays links, reads deliveries, verifies a webhook, and reads what a later version may send.

type WebhookEvent = components['schemas']['WebhookEvent'];
type KnownWebhookEvent = components['schemas']['KnownWebhookEvent'];

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY, PAYLINKS_LOCATION_ID, PAYLINKS_SAMPLES } =
  process.env;

const headers = { Authorization: `Bearer ${PAYLINKS_API_KEY}` };
const service = createClient<paths>({ baseUrl: PAYLINKS_BASE_URL, headers });
const future = createClient<paths>({ baseUrl: PAYLINKS_FUTURE_URL, headers });

const LINKS = '/api/v1/payment-links';
const LINK = '/api/v1/payment-links/{id}';
const CANCEL = '/api/v1/payment-links/{id}/cancel';
const SIMULATE = '/api/v1/payment-links/{id}/simulate';
const REFUND = '/api/v1/test-helpers/payment-links/{id}/refund';
const ENDPOINTS = '/api/v1/webhook-endpoints';
const DELIVERIES = '/api/v1/webhook-deliveries';

function sample(name: string): WebhookEvent {
  return JSON.parse(readFileSync(`${PAYLINKS_SAMPLES}/${name}`, 'utf8'));
}

/** Pays a link of an endpoint's practice, and reads the link and the delivery of its event by all filters. */
async function payAndRead(id: string, externalReference: string, since: string): Promise<void> {
  const { data: endpoint } = await service.POST(ENDPOINTS, {
    body: { url: 'https://example.com/webhooks', enabledEvents: ['payment_link.paid'] },
  });
  if (endpoint === undefined) throw new Error('the endpoint was not created');
  try {
    const paid = await service.POST(SIMULATE, { params: { path: { id } }, body: { outcome: 'paid' } });
    assert.equal(paid.data?.status, 'paid');
    const refunded = await service.POST(REFUND, { params: { path: { id } }, body: { amount: 25.5 } });
    assert.deepEqual([refunded.data?.refunds[0]?.amount, refunded.data?.refunds[0]?.status], [25.5, 'succeeded']);
    const createdBefore = new Date(Date.now() + 3_600_000).toISOString();
    const times = { createdAfter: since, createdBefore, paidAfter: since };
    const query = {
      status: 'paid',
      externalReference,
      locationId: PAYLINKS_LOCATION_ID,
      page: 1,
      pageSize: 1,
    } as const;
    const { data: links } = await service.GET(LINKS, { params: { query: { ...query, ...times } } });
    assert.deepEqual([links?.totalCount, links?.hasMore, links?.data[0]?.id], [1, false, id]);
    const filters = {
      endpointId: endpoint.id,
      paymentLinkId: id,
      type: 'payment_link.paid',
      status: 'pending',
    } as const;
    const { data: deliveries } = await service.GET(DELIVERIES, { params: { query: { ...filters, since } } });
    assert.equal(deliveries?.totalCount, 1);
    const path = { id: deliveries?.data[0]?.id ?? '' };
    const { data: delivery } = await service.GET(`${DELIVERIES}/{id}`, { params: { path } });
    const event: WebhookEvent = JSON.parse(delivery?.payload ?? '');
    assert.deepEqual([event.id, event.type, event.data.paymentLink?.id], [delivery?.id, 'payment_link.paid', id]);
  } finally {
    await service.DELETE(`${ENDPOINTS}/{id}`, { params: { path: { id: endpoint.id } } });
  }
}

/** Returns true if the module for receivers accepts the body with the signature of the known sample. */
function isGenuine(body: string): boolean {
  const { PAYLINKS_VERIFY, PAYLINKS_WEBHOOK_SECRET, PAYLINKS_SIGNATURE } = process.env;
  const args = [`${PAYLINKS_VERIFY}/typescript/verify.ts`, `${PAYLINKS_WEBHOOK_SECRET}`, `${PAYLINKS_SIGNATURE}`];
  return spawnSync(process.execPath, args, { input: body }).status === 0;
}

async function main(): Promise<void> {
  const reference = `sdk-${randomUUID()}`;
  const request = {
    params: { header: { 'Idempotency-Key': reference } },
    body: {
      amount: 125.5,
      description: 'Cleaning',
      patient: { firstName: 'Ada', lastName: 'Byron' },
      locationId: PAYLINKS_LOCATION_ID,
      externalReference: reference,
    },
  };
  const { data: link } = await service.POST(LINKS, request);
  if (link === undefined) throw new Error('the link was not created');
  assert.equal(link.status, 'active');
  assert.equal(link.paidAt, null);
  const replay = await service.POST(LINKS, request);
  assert.deepEqual(replay.data, link);
  assert.equal(replay.response.headers.get('Idempotency-Replayed'), 'true');
  const path = { id: link.id };
  assert.deepEqual((await service.GET(LINK, { params: { path } })).data, link);

  const createdAfter = new Date(Date.now() - 3_600_000).toISOString();
  const query = { status: 'active', externalReference: reference, createdAfter } as const;
  const { data: page } = await service.GET(LINKS, { params: { query } });
  assert.deepEqual([page?.totalCount, page?.data.map(({ id }) => id)], [1, [link.id]]);
  const ids = [link.id];
  for (const key of ['a', 'b']) {
    const header = { 'Idempotency-Key': `${reference}-${key}` };
    const other = await service.POST(LINKS, { ...request, params: { header } });
    ids.push(other.data?.id ?? '');
  }
  const listed: string[] = [];
  for (let number = 1; ; number++) {
    const { data: part } = await service.GET(LINKS, { params: { query: { ...query, page: number, pageSize: 2 } } });
    listed.push(...(part?.data ?? []).map(({ id }) => id));
    if (!part?.hasMore) break;
  }
  assert.deepEqual(listed.sort(), [...ids].sort());
  await payAndRead(ids[1] ?? '', reference, createdAfter);
  assert.equal((await service.POST(CANCEL, { params: { path } })).data?.status, 'cancelled');

  const { error } = await service.GET(LINK, { params: { path: { id: 'plink_nobody' } } });
  assert.equal(error?.error.code, 'not_found');
  const invalid = await service.POST(LINKS, { ...request, body: { ...request.body, amount: 0 } });
  assert.deepEqual([invalid.error?.error.code, invalid.error?.error.param], ['validation_error', 'amount']);
  const { data: later } = await future.GET(LINK, { params: { path } });
  assert.deepEqual(
    [later?.source, later?.transaction?.status, later?.refunds[0]?.status],
    ['kiosk', 'held', 'recalled'],
  );
  assert.equal((await future.POST(CANCEL, { params: { path } })).error?.error.code, 'code_to_come');

  const body = readFileSync(`${PAYLINKS_SAMPLES}/known.json`, 'utf8');
  assert.deepEqual([isGenuine(body), isGenuine(`${body} `)], [true, false]);
  const known = sample('known.json') as KnownWebhookEvent;
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  assert.equal(sample('unknown-type.json').type, 'payment_link.admired');
  assert.equal(sample('unknown-values.json').data.paymentLink?.source, 'kiosk');
  console.log('ok');
}

main();
