import { expect } from 'chai';
import type { Client, Exchange } from '../harness/client.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createEndpoint, DELIVERIES, ENDPOINTS, listDeliveries, paidLink } from '../harness/webhooks.ts';

const URL_OK = 'http://127.0.0.1:9/hook';

/** Answers of operations. Those that encrypt or decrypt a secret, or queue what a worker could not sign, are refused. */
const ANSWERS: [operation: string, answer: string, send: (client: Client, ids: Ids) => Promise<Exchange>][] = [
  ['createWebhookEndpoint', '503 webhooks_unavailable', (client) => client.post(ENDPOINTS, { url: URL_OK })],
  ['getWebhookEndpoint', '200', (client, { endpoint }) => client.get(`${ENDPOINTS}/${endpoint}`)],
  ['updateWebhookEndpoint', '200', (client, { endpoint }) => client.patch(`${ENDPOINTS}/${endpoint}`, { url: URL_OK })],
  ['deleteWebhookEndpoint', '204', (client, { endpoint }) => client.delete(`${ENDPOINTS}/${endpoint}`)],
  [
    'rotateWebhookEndpointSecret',
    '503 webhooks_unavailable',
    (client, { endpoint }) => client.post(`${ENDPOINTS}/${endpoint}/rotate-secret`),
  ],
  [
    'testWebhookEndpoint',
    '503 webhooks_unavailable',
    (client, { endpoint }) => client.post(`${ENDPOINTS}/${endpoint}/test`),
  ],
  [
    'replayWebhookEndpoint',
    '503 webhooks_unavailable',
    (client, { endpoint, since }) => client.post(`${ENDPOINTS}/${endpoint}/replay`, { since }),
  ],
  ['getWebhookDelivery', '200', (client, { delivery }) => client.get(`${DELIVERIES}/${delivery}`)],
  [
    'redeliverWebhookDelivery',
    '503 webhooks_unavailable',
    (client, { delivery }) => client.post(`${DELIVERIES}/${delivery}/redeliver`),
  ],
];

/** An enabled endpoint with a skipped delivery, which a replay and a redelivery would queue again. */
interface Ids {
  endpoint: string;
  delivery: string;
  since: string;
}

describe('without a usable SECRETS_KEY', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const keyless = useService({ beside: service, env: { SECRETS_KEY: '' } });

  async function skippedDelivery(): Promise<Ids> {
    const { id, createdAt } = await createEndpoint(practice.test, URL_OK);
    await practice.test.patch(`${ENDPOINTS}/${id}`, { enabled: false });
    await paidLink(practice.test);
    await practice.test.patch(`${ENDPOINTS}/${id}`, { enabled: true });
    const [delivery] = await listDeliveries(practice.test);
    expect(delivery?.status).to.equal('skipped');
    return { endpoint: id, delivery: delivery?.id ?? '', since: createdAt };
  }

  const stored = () =>
    service.query(
      `select to_jsonb(e) as row from webhook_endpoints e where practice_id = $1
       union all select to_jsonb(d) from webhook_deliveries d where practice_id = $1`,
      [practice.practiceId],
    );

  for (const [operation, answer, send] of ANSWERS) {
    it(`${operation} answers ${answer}${answer.startsWith('503') ? ', and changes nothing' : ''}`, async () => {
      const ids = await skippedDelivery();
      const before = await stored();
      const reply = await send(keyless.client(practice.test.key), ids);
      expect(outcome(reply)).to.equal(answer);
      if (reply.status !== 503) return;
      expect(Number(reply.headers['retry-after'])).to.be.within(60, 120);
      expect(await stored()).to.deep.equal(before);
    });
  }
});
