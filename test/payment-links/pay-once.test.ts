import { expect } from 'chai';
import pg from 'pg';
import { applyPayment } from '../../src/payment-links/payment/apply-payment.ts';
import { reconcileAttempts, reconcileTransactions } from '../../src/payment-links/reconcile/reconcile.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { TestService } from '../harness/service.ts';

/** The process dies here: nothing catches it on purpose. */
class Crash extends Error {}

describe('a link is paid at most once', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);

  before(async () => {
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
  });

  /** The sandbox, with some of its calls replaced. */
  function processor(overrides: Partial<Processor>): Processor {
    return { ...payments.sandbox, ...overrides };
  }

  /** A transaction of another process. */
  function elsewhere() {
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    return {
      async begin(statement: string, values: unknown[]): Promise<void> {
        await client.connect();
        await client.query('begin');
        await client.query(statement, values);
      },
      /** Commits as soon as another transaction waits for its locks. */
      async commitOnceAwaited(): Promise<void> {
        await service.untilWaiting();
        await client.query('commit');
      },
      end: () => client.end(),
    };
  }

  async function settled(link: PayableLink, status: string, events: string[], charges: number) {
    const seen = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    expect([seen.status, await payments.events(link), await payments.charges(link)]).to.deep.equal([
      status,
      events,
      charges,
    ]);
    const [row] = await service.query<{ open: string | null }>(
      'select open_attempt_id as open from payment_links where id = $1',
      [link.id],
    );
    expect(row?.open).to.equal(null);
  }

  it('twenty tabs that submit at once pay the link once', async () => {
    const link = await payments.link(practice);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, tab) => payments.pay(link, tab % 2 === 0 ? 'card_success' : 'bank_settles')),
    );
    expect(results.filter((result) => result === 'accepted')).to.have.length(1);
    expect(results.filter((result) => result === 'not_payable')).to.have.length(19);
    expect(await payments.charges(link)).to.equal(1);
    expect((await payments.events(link)).length).to.equal(1);
  });

  for (const { name, change, result, charges } of [
    { name: 'amount', change: 'amount_cents = amount_cents + 1', result: 'amount_changed', charges: 0 },
    { name: 'description', change: `description = 'Crown'`, result: 'accepted', charges: 1 },
  ]) {
    it(`a submission that waits for a change of the ${name} pays by the changed link`, async () => {
      const link = await payments.link(practice);
      const changing = elsewhere();
      afterThisTest(() => changing.end());
      await changing.begin(`update payment_links set ${change}, version = version + 1 where id = $1`, [link.id]);
      const paid = payments.pay(link, 'card_success');
      await changing.commitOnceAwaited();
      expect(await paid).to.equal(result);
      expect(await payments.charges(link)).to.equal(charges);
    });
  }

  it('a payment whose link changes before the answer is written pays by the changed link', async () => {
    const link = await payments.link(practice);
    const changing = elsewhere();
    try {
      const paid = payments.pay(
        link,
        'card_success',
        processor({
          async confirm(charge, reference) {
            await changing.begin(
              `update payment_links set description = 'Crown', version = version + 1 where id = $1`,
              [link.id],
            );
            return payments.sandbox.confirm(charge, reference);
          },
        }),
      );
      await changing.commitOnceAwaited();
      expect(await paid).to.equal('accepted');
    } finally {
      await changing.end();
    }
    await settled(link, 'paid', ['paid'], 1);
    const [event] = await service.query<{ payload: string }>(
      'select payload from webhook_deliveries where payment_link_id = $1',
      [link.id],
    );
    expect(JSON.parse(event?.payload ?? '{}').data.paymentLink.description).to.equal('Crown');
  });

  for (const overtakes of ['requires_action', 'succeeded'] as const) {
    it(`an answer that a notification of ${overtakes} has overtaken pays the link once`, async () => {
      const link = await payments.link(practice);
      const overtaken = processor({
        async confirm(charge, reference) {
          const snapshot = await payments.sandbox.confirm(charge, reference);
          await applyPayment(service.scope(), charge.account, { ...snapshot, state: overtakes });
          return snapshot;
        },
      });
      expect(await payments.pay(link, 'card_success', overtaken)).to.equal('accepted');
      await settled(link, 'paid', ['paid'], 1);
      const attempts = await service.query('select status from payment_attempts where payment_link_id = $1', [link.id]);
      expect(attempts).to.deep.equal([{ status: 'accepted' }]);
    });
  }

  it('a click after the payment, or during the patient’s action, charges nothing', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    await payments.pages().actInSandbox(link.token, true);
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    await settled(link, 'paid', ['paid'], 1);
  });

  it('a charge whose answer is lost is looked up at once', async () => {
    const link = await payments.link(practice);
    expect(await payments.pay(link, 'processor_timeout')).to.equal('accepted');
    await settled(link, 'paid', ['paid'], 1);
  });

  it('a charge whose answer stays lost is in progress until the sweep gets an answer', async () => {
    const link = await payments.link(practice);
    const away = async () => {
      throw new ProcessorUnavailable(new Error('away'));
    };
    const gone = processor({ retrieve: away });
    expect(await payments.pay(link, 'processor_timeout', gone)).to.equal('accepted');
    expect((await payments.pages().find(link.token))?.state).to.equal('in_progress');
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    service.clock.advance({ minutes: 3 });
    await payments.sweep(gone);
    expect((await payments.pages().find(link.token))?.state).to.equal('in_progress');
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    await settled(link, 'paid', ['paid'], 1);
  });

  it('an attempt whose process dies before the processor is asked is cancelled, and the link can be paid again', async () => {
    const link = await payments.link(practice);
    const dying = processor({ confirm: async () => Promise.reject(new Crash()) });
    expect(await payments.pay(link, 'card_success', dying).catch((error) => error)).to.be.instanceOf(Crash);
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    await settled(link, 'active', [], 0);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    await settled(link, 'paid', ['paid'], 1);
  });

  it('a charge whose process dies afterwards is applied by the sweep', async () => {
    const link = await payments.link(practice);
    const died = await payments.pay(link, 'crash_after_charge').catch((error) => error);
    expect(died).to.be.instanceOf(Error);
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    await settled(link, 'paid', ['paid'], 1);
  });

  it('a charge whose process dies afterwards is applied by a notification', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'crash_after_charge').catch(() => {});
    const charge = await payments.charge(link);
    await payments.notify(charge.account, { kind: 'payment', reference: charge.reference });
    await settled(link, 'paid', ['paid'], 1);
  });

  it('a late request of an abandoned submission is refused, because the attempt was cancelled', async () => {
    const link = await payments.link(practice);
    let late: (() => Promise<unknown>) | undefined;
    const slow = processor({
      confirm: async (charge, reference) => {
        late = () => payments.sandbox.confirm(charge, reference);
        throw new ProcessorUnavailable(new Error('timeout'));
      },
    });
    expect(await payments.pay(link, 'card_success', slow)).to.equal('accepted');
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    expect(await payments.pay(link, 'bank_settles')).to.equal('accepted');
    await late?.();
    await settled(link, 'paid', ['processing'], 1);
  });

  it('a change that needs the processor, which does not answer, gets 503', async () => {
    const other = await TestService.start({
      beside: service,
      processor: processor({
        cancel: async () => {
          throw new ProcessorUnavailable(new Error('away'));
        },
      }),
    });
    afterThisTest(() => other.close());
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const client = other.client(practice.live.key);
    for (const call of [
      client.post(`/api/v1/payment-links/${link.id}/cancel`),
      client.patch(`/api/v1/payment-links/${link.id}`, { amount: 1 }),
    ]) {
      const { status, body, headers } = await call;
      expect([status, body.error.code]).to.deep.equal([503, 'service_unavailable']);
      expect(Number(headers['retry-after'])).to.be.greaterThan(0);
    }
  });

  it('a link does not expire during a payment, and shows as active', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const link = await payments.link(practice, { expiresAt });
    await payments.pay(link, 'card_challenge');
    service.clock.advance({ minutes: 2 });
    await payments.sweep();
    const path = '/api/v1/payment-links';
    expect((await practice.live.get(`${path}/${link.id}`)).body.status).to.equal('active');
    const listed = (await practice.live.get(`${path}?status=expired`)).body.data.map(({ id }: { id: string }) => id);
    expect(listed).to.not.include(link.id);
    await payments.pages().actInSandbox(link.token, true);
    await settled(link, 'paid', ['paid'], 1);

    const unpaid = await payments.link(practice, {
      expiresAt: new Date(service.clock.now().getTime() + 60_000).toISOString(),
    });
    await payments.pay(unpaid, 'card_challenge');
    service.clock.advance({ minutes: 2 });
    await payments.pages().actInSandbox(unpaid.token, false);
    await payments.sweep();
    await settled(unpaid, 'expired', ['expired'], 0);
  });

  it('a link does not expire during a payment, even if the sweep takes links one by one after a failure', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const [broken, paying, idle] = [
      await payments.link(practice, { expiresAt }),
      await payments.link(practice, { expiresAt }),
      await payments.link(practice, { expiresAt }),
    ];
    await payments.pay(paying, 'card_challenge');
    await service.query(
      `alter table payment_links add constraint broken check (id <> '${broken.id}' or status = 'active')`,
    );
    try {
      service.clock.advance({ minutes: 2 });
      await payments.sweep();
    } finally {
      await service.query('alter table payment_links drop constraint broken');
    }
    const stored = await service.query<{ id: string; status: string }>(
      'select id, status from payment_links where id = any ($1)',
      [[broken.id, paying.id, idle.id]],
    );
    expect(new Map(stored.map(({ id, status }) => [id, status]))).to.deep.equal(
      new Map([
        [broken.id, 'active'],
        [paying.id, 'active'],
        [idle.id, 'expired'],
      ]),
    );
    await payments.pages().actInSandbox(paying.token, true);
    await settled(paying, 'paid', ['paid'], 1);
  });

  it('a worker that stops starts no further attempt or payment, and leaves them to the next run', async () => {
    const links = [await payments.link(practice), await payments.link(practice), await payments.link(practice)];
    const paid = [await payments.link(practice), await payments.link(practice)];
    for (const link of links) await payments.pay(link, 'card_challenge');
    for (const link of paid) await payments.pay(link, 'bank_settles');
    service.clock.advance({ hours: 7 });
    const newScope = () => service.scope();
    for (const sweep of [reconcileAttempts, reconcileTransactions]) {
      let looks = 0;
      const counting = processor({
        retrieve: async (...asked) => {
          looks++;
          return payments.sandbox.retrieve(...asked);
        },
      });
      await sweep(newScope, counting, () => looks < 1);
      expect(looks).to.equal(1);
      await sweep(newScope, counting);
      expect(looks).to.be.greaterThan(1);
    }
    for (const link of links) expect((await payments.pages().find(link.token))?.state).to.equal('payable');
  });

  it('an attempt without answers from the processor does not delay the others', async () => {
    const stuck = await payments.link(practice);
    const other = await payments.link(practice);
    for (const link of [stuck, other]) await payments.pay(link, 'crash_after_charge').catch(() => {});
    const { reference } = await payments.payment(stuck);
    const failing = processor({
      retrieve: async (account, asked) => {
        if (asked === reference) throw new ProcessorUnavailable(new Error('away'));
        return payments.sandbox.retrieve(account, asked);
      },
    });
    service.clock.advance({ minutes: 3 });
    await payments.sweep(failing);
    await settled(other, 'paid', ['paid'], 1);
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    await settled(stuck, 'paid', ['paid'], 1);
  });

  it('late money makes a cancelled link paid', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
    const { reference, account } = await payments.payment(link);
    // No processor should; one did.
    await service.query(`update sandbox.payments set state = 'succeeded' where reference = $1`, [reference]);
    await payments.notify(account, { kind: 'payment', reference });
    await settled(link, 'paid', ['cancelled', 'paid'], 1);
  });

  it('the service refuses a payment of another amount or account', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const { reference, account } = await payments.payment(link);
    await service.query(
      `update sandbox.payments set state = 'succeeded', amount_cents = amount_cents - 1 where reference = $1`,
      [reference],
    );
    await payments.notify(account, { kind: 'payment', reference });
    expect((await practice.live.get(`/api/v1/payment-links/${link.id}`)).body.status).to.equal('active');
    expect(await payments.events(link)).to.deep.equal([]);
    await payments.notify('sandbox_other', { kind: 'payment', reference });
    expect(await payments.events(link)).to.deep.equal([]);
  });

  for (const state of ['requires_action', 'succeeded', 'cancelled'] as const) {
    it(`a payment of another amount (${state}) is refused and does not block the link for ever`, async () => {
      const [swept, cancelled] = [await payments.link(practice), await payments.link(practice)];
      for (const link of [swept, cancelled]) {
        await payments.pay(link, 'card_challenge');
        const { reference } = await payments.payment(link);
        await service.query(
          'update sandbox.payments set state = $2, amount_cents = amount_cents - 1 where reference = $1',
          [reference, state],
        );
      }
      const answer = await practice.live.post(`/api/v1/payment-links/${cancelled.id}/cancel`);
      expect([answer.status, answer.body.status]).to.deep.equal([200, 'cancelled']);
      expect(await payments.events(cancelled)).to.deep.equal(['cancelled']);
      service.clock.advance({ hours: 1 });
      await payments.sweep();
      expect((await payments.pages().find(swept.token))?.state).to.equal('payable');
      expect(await payments.events(swept)).to.deep.equal([]);
      expect(await payments.pay(swept, 'card_success')).to.equal('accepted');
    });
  }

  it('a payment of another reference or account does not change the attempt that it names', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const { reference, account } = await payments.payment(link);
    const snapshot = await payments.sandbox.retrieve({ id: account }, reference);
    if (snapshot === null) throw new Error('known');
    const cancelled = { ...snapshot, state: 'cancelled', amountCents: 1 } as const;
    await applyPayment(service.scope(), { id: account }, { ...cancelled, reference: 'sbx_pay_other' });
    await applyPayment(service.scope(), { id: 'sandbox_other' }, cancelled);
    expect((await payments.pages().find(link.token))?.state).to.equal('requires_action');
  });
});
