import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './sdk/schema';

// Creates, replays, reads and lists a link, and reads what a later version may send.

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

function sample(name: string): WebhookEvent {
  return JSON.parse(readFileSync(`${PAYLINKS_SAMPLES}/${name}`, 'utf8'));
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
  assert.equal((await service.POST(CANCEL, { params: { path } })).data?.status, 'cancelled');

  const { error } = await service.GET(LINK, { params: { path: { id: 'plink_nobody' } } });
  assert.equal(error?.error.code, 'not_found');
  const { data: later } = await future.GET(LINK, { params: { path } });
  assert.deepEqual(
    [later?.source, later?.transaction?.status, later?.refunds[0]?.status],
    ['kiosk', 'held', 'recalled'],
  );
  assert.equal((await future.POST(CANCEL, { params: { path } })).error?.error.code, 'code_to_come');

  const known = sample('known.json') as KnownWebhookEvent;
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  assert.equal(sample('unknown-type.json').type, 'payment_link.admired');
  assert.equal(sample('unknown-values.json').data.paymentLink?.source, 'kiosk');
  console.log('ok');
}

main();
