import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
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
  simulateRefund,
} from './sdk';
import { createClient } from './sdk/client';

// Creates, replays, reads, lists and pays links, reads deliveries, verifies a webhook, and reads what a later version may send.

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY, PAYLINKS_LOCATION_ID, PAYLINKS_SAMPLES } =
  process.env;

const service = createClient({ baseUrl: PAYLINKS_BASE_URL, auth: PAYLINKS_API_KEY });
const future = createClient({ baseUrl: PAYLINKS_FUTURE_URL, auth: PAYLINKS_API_KEY });

function sample(name: string): WebhookEvent {
  return JSON.parse(readFileSync(`${PAYLINKS_SAMPLES}/${name}`, 'utf8'));
}

/** Pays a link of an endpoint's practice, and reads the link and the delivery of its event by all filters. */
async function payAndRead(id: string, externalReference: string, since: string): Promise<void> {
  const { data: endpoint } = await createWebhookEndpoint({
    client: service,
    body: { url: 'https://example.com/webhooks', enabledEvents: ['payment_link.paid'] },
    throwOnError: true,
  });
  try {
    const paid = await simulatePaymentLink({
      client: service,
      path: { id },
      body: { outcome: 'paid' },
      throwOnError: true,
    });
    assert.equal(paid.data.status, 'paid');
    const refunded = await simulateRefund({
      client: service,
      path: { id },
      body: { amount: 25.5 },
      throwOnError: true,
    });
    assert.deepEqual([refunded.data.refunds[0]?.amount, refunded.data.refunds[0]?.status], [25.5, 'succeeded']);
    const createdBefore = new Date(Date.now() + 3_600_000).toISOString();
    const query = { status: 'paid', externalReference, locationId: PAYLINKS_LOCATION_ID, createdBefore } as const;
    const links = await listPaymentLinks({
      client: service,
      query: { ...query, createdAfter: since, paidAfter: since, page: 1, pageSize: 1 },
      throwOnError: true,
    });
    assert.deepEqual([links.data.totalCount, links.data.hasMore, links.data.data[0]?.id], [1, false, id]);
    const deliveries = await listWebhookDeliveries({
      client: service,
      query: { endpointId: endpoint.id, paymentLinkId: id, type: 'payment_link.paid', status: 'pending', since },
      throwOnError: true,
    });
    assert.equal(deliveries.data.totalCount, 1);
    const path = { id: deliveries.data.data[0]?.id ?? '' };
    const { data: delivery } = await getWebhookDelivery({ client: service, path, throwOnError: true });
    const event: WebhookEvent = JSON.parse(delivery.payload);
    assert.deepEqual([event.id, event.type, event.data.paymentLink?.id], [delivery.id, 'payment_link.paid', id]);
  } finally {
    await deleteWebhookEndpoint({ client: service, path: { id: endpoint.id }, throwOnError: true });
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
    client: service,
    headers: { 'Idempotency-Key': reference },
    body: {
      amount: 125.5,
      description: 'Cleaning',
      patient: { firstName: 'Ada', lastName: 'Byron' },
      locationId: PAYLINKS_LOCATION_ID,
      externalReference: reference,
    },
  };
  const { data: link } = await createPaymentLink({ ...request, throwOnError: true });
  assert.equal(link.status, 'active');
  assert.equal(link.paidAt, null);
  const replay = await createPaymentLink({ ...request, throwOnError: true });
  assert.deepEqual(replay.data, link);
  assert.equal(replay.response.headers.get('Idempotency-Replayed'), 'true');
  assert.deepEqual((await getPaymentLink({ client: service, path: { id: link.id } })).data, link);

  const createdAfter = new Date(Date.now() - 3_600_000).toISOString();
  const query = { status: 'active', externalReference: reference, createdAfter } as const;
  const { data: page } = await listPaymentLinks({ client: service, query, throwOnError: true });
  assert.deepEqual([page.totalCount, page.data.map(({ id }) => id)], [1, [link.id]]);
  const others = ['a', 'b'].map((key) =>
    createPaymentLink({ ...request, headers: { 'Idempotency-Key': `${reference}-${key}` }, throwOnError: true }),
  );
  const ids = [link, ...(await Promise.all(others)).map(({ data }) => data)].map(({ id }) => id);
  const listed: string[] = [];
  for (let number = 1; ; number++) {
    const paged = { ...query, page: number, pageSize: 2 };
    const { data: part } = await listPaymentLinks({ client: service, query: paged, throwOnError: true });
    listed.push(...part.data.map(({ id }) => id));
    if (!part.hasMore) break;
  }
  assert.deepEqual(listed.sort(), ids.sort());
  await payAndRead(ids.find((id) => id !== link.id) ?? '', reference, createdAfter);
  const { data: cancelled } = await cancelPaymentLink({ client: service, path: { id: link.id }, throwOnError: true });
  assert.equal(cancelled.status, 'cancelled');

  const { error } = await getPaymentLink({ client: service, path: { id: 'plink_nobody' } });
  assert.equal(error?.error.code, 'not_found');
  const invalid = await createPaymentLink({ ...request, body: { ...request.body, amount: 0 } });
  assert.deepEqual([invalid.error?.error.code, invalid.error?.error.param], ['validation_error', 'amount']);
  const { data: later } = await getPaymentLink({ client: future, path: { id: link.id }, throwOnError: true });
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  const refused = await cancelPaymentLink({ client: future, path: { id: link.id } });
  assert.equal(refused.error?.error.code, 'code_to_come');

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
