import { expect } from 'chai';
import { SettableClock } from '../harness/clock.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createEndpoint, DELIVERIES, ENDPOINTS, listDeliveries, paidLink } from '../harness/webhooks.ts';

const URL_OK = 'http://127.0.0.1:9/hook';

/** The first moment of the clock. */
const SINCE = new SettableClock().now().toISOString();

/** Answers of operations. Those that encrypt or decrypt a secret, or queue what a worker could not sign, are refused. */
const REFUSED = '503 webhooks_unavailable';
const ANSWERS: [operation: string, answer: string, method: string, path: (ids: Ids) => string, body?: object][] = [
  ['createWebhookEndpoint', REFUSED, 'POST', () => ENDPOINTS, { url: URL_OK }],
  ['getWebhookEndpoint', '200', 'GET', ({ endpoint }) => `${ENDPOINTS}/${endpoint}`],
  ['updateWebhookEndpoint', '200', 'PATCH', ({ endpoint }) => `${ENDPOINTS}/${endpoint}`, { url: URL_OK }],
  ['deleteWebhookEndpoint', '204', 'DELETE', ({ endpoint }) => `${ENDPOINTS}/${endpoint}`],
  ['rotateWebhookEndpointSecret', REFUSED, 'POST', ({ endpoint }) => `${ENDPOINTS}/${endpoint}/rotate-secret`],
  ['testWebhookEndpoint', REFUSED, 'POST', ({ endpoint }) => `${ENDPOINTS}/${endpoint}/test`],
  ['replayWebhookEndpoint', REFUSED, 'POST', ({ endpoint }) => `${ENDPOINTS}/${endpoint}/replay`, { since: SINCE }],
  ['getWebhookDelivery', '200', 'GET', ({ delivery }) => `${DELIVERIES}/${delivery}`],
  ['redeliverWebhookDelivery', REFUSED, 'POST', ({ delivery }) => `${DELIVERIES}/${delivery}/redeliver`],
];

/** An enabled endpoint with a skipped delivery, which a replay and a redelivery would queue again. */
interface Ids {
  endpoint: string;
  delivery: string;
}

describe('without a usable SECRETS_KEY', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const keyless = useService({ beside: service, env: { SECRETS_KEY: '' } });

  async function skippedDelivery(): Promise<Ids> {
    const { id } = await createEndpoint(practice.test, URL_OK);
    await practice.test.patch(`${ENDPOINTS}/${id}`, { enabled: false });
    await paidLink(practice.test);
    await practice.test.patch(`${ENDPOINTS}/${id}`, { enabled: true });
    const [delivery] = await listDeliveries(practice.test);
    expect(delivery?.status).to.equal('skipped');
    return { endpoint: id, delivery: delivery?.id ?? '' };
  }

  const stored = () =>
    service.query(
      `select to_jsonb(e) as row from webhook_endpoints e where practice_id = $1
       union all select to_jsonb(d) from webhook_deliveries d where practice_id = $1`,
      [practice.practiceId],
    );

  for (const [operation, answer, method, path, body] of ANSWERS) {
    it(`${operation} answers ${answer}${answer.startsWith('503') ? ', and changes nothing' : ''}`, async () => {
      const ids = await skippedDelivery();
      const before = await stored();
      const reply = await keyless.client(practice.test.key).call(method, path(ids), { body });
      expect(outcome(reply)).to.equal(answer);
      if (reply.status !== 503) return;
      expect(Number(reply.headers['retry-after'])).to.be.within(60, 120);
      expect(await stored()).to.deep.equal(before);
    });
  }
});
