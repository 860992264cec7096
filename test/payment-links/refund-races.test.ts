import { expect } from 'chai';
import pg from 'pg';
import { onReport } from '../../src/base/diagnostics.ts';
import { syncPayment } from '../../src/payment-links/reconcile/reconcile.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { ProcessorUnavailable, type RefundRequest, type RefundSnapshot } from '../../src/processors/processor.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';

describe('refunds that meet other changes of their payment', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const payments = new Payments(service);
  let other: pg.Client;

  beforeEach(async () => {
    other = new pg.Client({ connectionString: service.config.databaseUrl });
    await other.connect();
  });

  afterEach(() => other.end());

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, method);
    return link;
  }

  const listen = () => practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });

  const refund = (link: PayableLink, amountCents: number | null, processor = payments.sandbox) =>
    createRefund(service.scope(), processor, link.id, amountCents, 'goodwill');

  /** Locks the link in a transaction of its own. */
  async function lock(link: PayableLink): Promise<void> {
    await other.query('begin');
    await other.query('select from payment_links where id = $1 for update', [link.id]);
  }

  /** Changes rows while the refund waits for the lock, and releases it. Returns the refund. */
  async function changeWhileWaiting<T>(refunding: Promise<T>, change: () => Promise<unknown>): Promise<T> {
    refunding.catch(() => undefined);
    await service.untilWaiting();
    await change();
    await other.query('commit');
    return refunding;
  }

  /** The sandbox; the link is locked once the refund is made there. */
  const lockingOnAnswer = (link: PayableLink) => ({
    ...payments.sandbox,
    async refund(request: RefundRequest) {
      const snapshot = await payments.sandbox.refund(request);
      await lock(link);
      return snapshot;
    },
  });

  const addRefund = (link: PayableLink, id: string, cents: number) =>
    other.query(
      `with link as (update payment_links set version = version + 1 where id = $1)
       insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
       select $2, practice_id, payment_link_id, id, $3, 'pending', created_at from transactions where payment_link_id = $1`,
      [link.id, id, cents],
    );

  it('a refund of the rest that waits for another one refunds what that one leaves', async () => {
    const link = await paid();
    await lock(link);
    const made = await changeWhileWaiting(refund(link, null), () => addRefund(link, 're_rest', 4_000));
    expect([made.amountCents, made.status]).to.deep.equal([6_000, 'succeeded']);
    const { transaction } = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    expect(transaction.status).to.equal('refunded');
  });

  it('a refund that waits for another one is refused if that one leaves less, and the processor is not asked', async () => {
    const link = await paid();
    await lock(link);
    const refused = await changeWhileWaiting(refund(link, 6_001), () => addRefund(link, 're_less', 4_000)).catch(
      (error) => error,
    );
    expect([refused.code, refused.refundableCents]).to.deep.equal(['validation_error', 6_000]);
    const { reference, account } = await payments.payment(link);
    expect(await payments.sandbox.retrieveRefunds({ id: account }, reference)).to.deep.equal([]);
  });

  it('a debit that the bank takes back before the answer to a refund is recorded is reported as given back twice', async () => {
    const link = await paid('bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    const made = await changeWhileWaiting(refund(link, 4_000, lockingOnAnswer(link)), () =>
      other.query(
        `with link as (update payment_links set version = version + 1 where id = $1)
         insert into bank_reversals (id, practice_id, payment_link_id, transaction_id, processor_reference, amount_cents,
           created_at)
         select 'rv_waiting', practice_id, payment_link_id, id, 'dsp_waiting', 10000, created_at
         from transactions where payment_link_id = $1`,
        [link.id],
      ),
    );
    expect(made.status).to.equal('succeeded');
    const mails = await service.query('select kind from payment_admin_mails where payment_link_id = $1', [link.id]);
    expect(mails).to.deep.equal([{ kind: 'returned_after_refund' }]);
  });

  it('an endpoint that is created before the answer to a refund is recorded gets the event', async () => {
    const link = await paid();
    const made = await changeWhileWaiting(refund(link, null, lockingOnAnswer(link)), listen);
    expect([made.status, await payments.events(link)]).to.deep.equal(['succeeded', ['refunded']]);
  });

  it('an answer that a notification has overtaken is applied once', async () => {
    await listen();
    const link = await paid();
    const overtaken = {
      ...payments.sandbox,
      async refund(request: RefundRequest) {
        const snapshot = await payments.sandbox.refund(request);
        const { reference, account } = await payments.payment(link);
        await payments.notify(account, { kind: 'payment', reference });
        return snapshot;
      },
    };
    expect((await refund(link, null, overtaken)).status).to.equal('succeeded');
    expect(await payments.events(link)).to.deep.equal(['paid', 'refunded']);
  });

  it('the event of a refund shows the refund and the transaction as the API does', async () => {
    await listen();
    const link = await paid();
    for (const cents of [2_500, null]) {
      await refund(link, cents);
      const [last] = await service.query<{ payload: string }>(
        'select payload from webhook_deliveries where payment_link_id = $1 order by id desc limit 1',
        [link.id],
      );
      const shown = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
      expect(JSON.parse(last?.payload ?? '{}').data.paymentLink).to.deep.equal(shown);
    }
  });

  /** Calls the listener for each statement, but those by which the server logs requests of earlier tests in the background. */
  const onStatement = (listener: () => void) =>
    onReport('statement', ({ text }) => {
      if (!text.includes('api_requests')) listener();
    });

  it('a refund takes three statements: two before the processor is asked, and one after', async () => {
    const link = await paid();
    const counts: number[] = [];
    let statements = 0;
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
    const end = onStatement(() => statements++);
    try {
      await refund(link, 1_000, instant);
    } finally {
      end();
    }
    expect([counts[1], statements]).to.deep.equal([2, 3]);
  });

  it('asking about a payment again takes no statement more, however many refunds there are, if none has changed', async () => {
    const link = await paid();
    const { reference, account } = await payments.payment(link);
    const ask = async (): Promise<number> => {
      let statements = 0;
      const end = onStatement(() => statements++);
      try {
        await syncPayment(service.scope(), payments.sandbox, { id: account }, reference);
      } finally {
        end();
      }
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
    await syncPayment(service.scope(), payments.sandbox, { id: account }, reference);
    const refunds = await service.query(
      'select amount_cents as cents, status from refunds where payment_link_id = $1 order by amount_cents',
      [link.id],
    );
    expect(refunds).to.deep.equal([
      { cents: 1_000, status: 'failed' },
      { cents: 2_000, status: 'succeeded' },
    ]);
  });

  it('a refund without an answer is asked about after a minute, also if its payment was asked about in the meantime', async () => {
    const link = await paid();
    const silent = {
      ...payments.sandbox,
      refund: () => Promise.reject(new ProcessorUnavailable(new Error('the answer was lost'))),
    };
    expect((await refund(link, 1_000, silent)).status).to.equal('pending');
    const { reference, account } = await payments.payment(link);
    await payments.notify(account, { kind: 'payment', reference });
    service.clock.advance({ seconds: 61 });
    await payments.sweep();
    const refunds = await service.query('select status from refunds where payment_link_id = $1', [link.id]);
    expect(refunds).to.deep.equal([{ status: 'succeeded' }]);
  });
});
