import { expect } from 'chai';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { syncPayment } from '../../src/payment-links/payments/sync.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { onReport } from '../../src/platform/base/diagnostics.ts';
import type { RefundRequest, RefundSnapshot } from '../../src/processors/processor.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';

describe('refunds that meet other changes of their payment', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const payments = new Payments(service);
  /** Number of statements, without those by which the server logs requests in the background. */
  let statements = 0;
  let endCount: () => void;

  beforeEach(() => {
    endCount = onReport('statement', ({ text }) => {
      if (!text.includes('api_requests')) statements++;
    });
  });

  afterEach(() => endCount());

  async function paid(): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, 'card_success');
    return link;
  }

  const refund = (link: PayableLink, amountCents: number | null, processor = payments.sandbox) =>
    createRefund(
      { ...service.scope(), processor, ...separately },
      { linkId: link.id, amountCents, reason: 'goodwill' },
    );

  it('a refund of the rest that waits for another one refunds what that one leaves', async () => {
    const link = await paid();
    const commit = await service.lock(
      `with changed as (update payment_links set version = version + 1 where id = $1)
       insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
       select 're_rest', practice_id, payment_link_id, id, 4000, 'pending', created_at from transactions
       where payment_link_id = $1`,
      [link.id],
    );
    const refunding = refund(link, null);
    await service.untilWaiting();
    await commit();
    const made = await refunding;
    expect([made.amountCents, made.status]).to.deep.equal([6_000, 'succeeded']);
    const { transaction } = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    expect(transaction.status).to.equal('refunded');
  });

  it('a refund takes three statements: two before the processor is asked, and one after', async () => {
    const link = await paid();
    const counts: number[] = [];
    const instant = {
      ...payments.sandbox,
      async refund({ refundId, paymentReference, amountCents }: RefundRequest): Promise<RefundSnapshot> {
        counts.push(statements);
        const reference = `sbx_ref_${refundId}`;
        return { reference, refundId, paymentReference, amountCents, currency: 'usd', state: 'succeeded' };
      },
    };
    // The first one opens the connection.
    await refund(link, 1_000, instant);
    statements = 0;
    await refund(link, 1_000, instant);
    expect([counts[1], statements]).to.deep.equal([2, 3]);
  });

  it('asking about a payment again takes no statement more, however many refunds there are, if none has changed', async () => {
    const link = await paid();
    const { reference, account } = await payments.payment(link);
    const ask = async (): Promise<number> => {
      statements = 0;
      await syncPayment({ ...service.scope(), processor: payments.sandbox, ...separately }, { id: account }, reference);
      return statements;
    };
    await ask();
    const without = await ask();
    const counts: number[] = [];
    for (const cents of [1_000, 2_000, 3_000]) {
      await refund(link, cents);
      await ask();
      counts.push((await ask()) - without);
    }
    expect(counts).to.deep.equal([0, 0, 0]);
  });

  it('a refund that fails at the bank among others that have not changed is recorded as failed', async () => {
    const link = await paid();
    for (const cents of [1_000, 2_000]) await refund(link, cents);
    const { reference, account } = await payments.payment(link);
    await service.query(`update sandbox.refunds set state = 'failed' where payment = $1 and amount_cents = 1000`, [
      reference,
    ]);
    await syncPayment({ ...service.scope(), processor: payments.sandbox, ...separately }, { id: account }, reference);
    const refunds = await service.query(
      'select amount_cents as cents, status from refunds where payment_link_id = $1 order by amount_cents',
      [link.id],
    );
    expect(refunds).to.deep.equal([
      { cents: 1_000, status: 'failed' },
      { cents: 2_000, status: 'succeeded' },
    ]);
  });
});
