import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KnownWebhookEvent, WebhookEvent } from './sdk';
import { cancelPaymentLink, createPaymentLink, getPaymentLink, listPaymentLinks } from './sdk';
import { createClient } from './sdk/client';

// Creates, replays, reads and lists a link, and reads what a later version may send.

const { PAYLINKS_BASE_URL, PAYLINKS_FUTURE_URL, PAYLINKS_API_KEY, PAYLINKS_LOCATION_ID, PAYLINKS_SAMPLES } =
  process.env;

const service = createClient({ baseUrl: PAYLINKS_BASE_URL, auth: PAYLINKS_API_KEY });
const future = createClient({ baseUrl: PAYLINKS_FUTURE_URL, auth: PAYLINKS_API_KEY });

function sample(name: string): WebhookEvent {
  return JSON.parse(readFileSync(`${PAYLINKS_SAMPLES}/${name}`, 'utf8'));
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
  const { data: cancelled } = await cancelPaymentLink({ client: service, path: { id: link.id }, throwOnError: true });
  assert.equal(cancelled.status, 'cancelled');

  const { error } = await getPaymentLink({ client: service, path: { id: 'plink_nobody' } });
  assert.equal(error?.error.code, 'not_found');
  const { data: later } = await getPaymentLink({ client: future, path: { id: link.id }, throwOnError: true });
  assert.deepEqual([later.source, later.transaction?.status, later.refunds[0]?.status], ['kiosk', 'held', 'recalled']);
  const refused = await cancelPaymentLink({ client: future, path: { id: link.id } });
  assert.equal(refused.error?.error.code, 'code_to_come');

  const known = sample('known.json') as KnownWebhookEvent;
  if (known.type !== 'payment_link.paid') throw new Error('the type distinguishes events');
  assert.equal(known.data.paymentLink.transaction?.status, 'succeeded');
  assert.equal(sample('unknown-type.json').type, 'payment_link.admired');
  assert.equal(sample('unknown-values.json').data.paymentLink?.source, 'kiosk');
  console.log('ok');
}

main();
