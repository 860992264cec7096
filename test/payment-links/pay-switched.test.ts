import { expect } from 'chai';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';

describe('after a switch to another processor', () => {
  const first = useService();
  const practice = madeOnce(() => first.practice());
  const payments = new Payments(first);
  /** The other processor knows of nothing that was begun at the first, and would close whatever it is asked to. */
  const other: Processor = {
    ...payments.sandbox,
    name: 'stripe',
    retrieve: async () => {
      asked.push('retrieve');
      return null;
    },
    cancel: async (account, reference) => {
      asked.push('cancel');
      return payments.sandbox.cancel(account, reference);
    },
    refund: async (request) => {
      asked.push('refund');
      return payments.sandbox.refund(request);
    },
  };
  const asked: string[] = [];
  const second = useService({ beside: first, processor: other });

  async function attemptOf(link: PayableLink): Promise<string | undefined> {
    const rows = await payments.service.query<{ status: string }>(
      'select status from payment_attempts where payment_link_id = $1',
      [link.id],
    );
    return rows[0]?.status;
  }

  it('a payment of the former processor is neither closed nor asked about', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const client = second.client(practice.live.key);
    const cancelled = await client.post(`/api/v1/payment-links/${link.id}/cancel`);
    expect([cancelled.status, cancelled.body.error.code]).to.deep.equal([503, 'service_unavailable']);
    expect(await payments.pages(other).resume(link.token)).to.equal('requires_action');
    expect((await payments.pages(other).find(link.token))?.clientAction).to.equal(null);
    first.clock.advance({ hours: 2 });
    await payments.sweep(other);
    expect([await attemptOf(link), asked]).to.deep.equal(['requires_action', []]);
    await payments.sandbox.bank.answerAction((await payments.payment(link)).reference, true);
    await payments.sweep();
    expect(await attemptOf(link)).to.equal('accepted');
  });

  it('a payment of the former processor is not refunded through the present one', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success');
    const refusal = await createRefund(
      { ...first.scope(), processor: other, ...separately },
      { linkId: link.id },
    ).catch((error) => error);
    expect([refusal.code, refusal.details.param, asked]).to.deep.equal(['validation_error', 'link', []]);
    expect(
      (await createRefund({ ...first.scope(), processor: payments.sandbox, ...separately }, { linkId: link.id }))
        .status,
    ).to.equal('succeeded');
  });
});
