import { expect } from 'chai';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink, idempotent, TestService } from '../harness/service.ts';

/** Each helper, the steps before it, and its body. */
const HELPERS: [helper: string, before: [path: string, body: object][], body: object | undefined, other: object][] = [
  ['refund', [], { amount: 30 }, { amount: 31 }],
  ['dispute', [], undefined, { amount: 5 }],
  ['close-dispute', [['dispute', {}]], { outcome: 'won' }, { outcome: 'lost' }],
  ['reverse', [], undefined, {}],
];

describe('Test helpers with an Idempotency-Key, and several at once', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  const send = (id: string, helper: string, body?: object, key?: string, client: Client = practice.test) =>
    client.post(`/api/v1/test-helpers/payment-links/${id}/${helper}`, body, key === undefined ? {} : idempotent(key));

  const isReplay = ({ headers }: Exchange) => headers['idempotency-replayed'] === 'true';

  /** Creates a test link with a settled debit of 100 dollars. */
  async function paidLink(): Promise<string> {
    const { id } = await createLink(practice.test, { amount: 100 });
    await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'processing_then_paid' });
    return id;
  }

  const lock = (id: string) => service.lock('select from payment_links where id = $1 for update', [id]);

  for (const [helper, steps, body, other] of HELPERS) {
    it(`${helper}: the same request happens once and gets the same bytes again; another link or body gets 422`, async () => {
      const [id, second] = [await paidLink(), await paidLink()];
      for (const [step, stepBody] of steps) expect(outcome(await send(id, step, stepBody))).to.equal('200');
      const key = `${helper} once`;
      const first = await send(id, helper, body, key);
      expect([outcome(first), isReplay(first)]).to.deep.equal(['200', false]);
      const again = await send(id, helper, body, key);
      expect([again.status, again.text, isReplay(again)]).to.deep.equal([200, first.text, true]);
      expect(outcome(await send(second, helper, body, key))).to.equal('422 idempotency_key_reused Idempotency-Key');
      if (helper !== 'reverse')
        expect(outcome(await send(id, helper, other, key))).to.equal('422 idempotency_key_reused Idempotency-Key');
    });

    it(`${helper}: 409 idempotency_key_in_flight while the first request runs in another process`, async () => {
      const id = await paidLink();
      for (const [step, stepBody] of steps) await send(id, step, stepBody);
      const second = await TestService.start({ beside: service });
      const release = await lock(id);
      afterThisTest(() => second.close());
      const first = send(id, helper, body, 'in flight');
      await service.untilWaiting();
      const same = await send(id, helper, body, 'in flight', second.client(practice.test.key));
      expect(outcome(same)).to.equal('409 idempotency_key_in_flight Idempotency-Key');
      await release();
      expect(outcome(await first)).to.equal('200');
    });
  }

  it('many helpers on one link succeed one after the other, and only one of them waits for its lock', async () => {
    const id = await paidLink();
    const release = await lock(id);
    const refunds = Array.from({ length: 30 }, () => send(id, 'refund', { amount: 1 }));
    await service.untilWaiting();
    // Another request of the practice needs a connection, and gets one.
    expect(
      outcome(await practice.test.post(`/api/v1/payment-links/${(await createLink(practice.test)).id}/cancel`)),
    ).to.equal('200');
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(await service.query(waiting)).to.have.length(1);
    await release();
    expect(new Set((await Promise.all(refunds)).map(outcome))).to.deep.equal(new Set(['200']));
    const { body } = await practice.test.get(`/api/v1/payment-links/${id}`);
    expect(body.refunds).to.have.length(30);
  });

  it('503 webhooks_unavailable: without a keyring no answer can be remembered, and nothing is simulated', async () => {
    const id = await paidLink();
    const keyless = await TestService.start({ beside: service, env: { SECRETS_KEY: '' } });
    afterThisTest(() => keyless.close());
    const client = keyless.client(practice.test.key);
    expect(outcome(await send(id, 'refund', {}, 'keyless', client))).to.equal('503 webhooks_unavailable');
    expect(outcome(await send(id, 'refund', {}, undefined, client))).to.equal('200');
  });
});
