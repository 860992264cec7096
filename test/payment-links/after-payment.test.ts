import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { type PayableLink, SETTLE_SECONDS, usePayments } from '../harness/payments.ts';

describe('refunds and disputes of a paid link', () => {
  const { service, practice, payments } = usePayments();

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, method);
    return link;
  }

  function refund(link: PayableLink, amountCents: number | null, processor = payments.sandbox) {
    return createRefund(
      { ...service.scope(), processor, ...separately },
      { linkId: link.id, amountCents, reason: 'goodwill' },
    );
  }

  async function seen(link: PayableLink) {
    const { status, transaction, refunds } = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    const states = refunds.map((one: { amount: number; status: string; reason: string }) => [
      one.amount,
      one.status,
      one.reason,
    ]);
    return [status, transaction.status, states];
  }

  async function contexts(link: PayableLink): Promise<object[]> {
    const rows = await service.query<{ payload: string }>(
      'select payload from webhook_deliveries where payment_link_id = $1 order by id',
      [link.id],
    );
    return rows.map(({ payload }) => JSON.parse(payload).data.context);
  }

  describe('refunds', () => {
    it('refunds in parts make the payment refunded when they add up, with one event each', async () => {
      const link = await paid();
      await refund(link, 3000);
      expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [[30, 'succeeded', 'goodwill']]]);
      await refund(link, null);
      const [status, transaction] = await seen(link);
      expect([status, transaction]).to.deep.equal(['paid', 'refunded']);
      expect(await payments.events(link)).to.deep.equal(['paid', 'refunded', 'refunded']);
      expect((await contexts(link)).slice(1)).to.deep.equal([{ refundAmount: 30 }, { refundAmount: 70 }]);
      const page = await payments.pages().find(link.token);
      expect([page?.state, page?.payment?.refundedCents]).to.deep.equal(['refunded', 10_000]);
    });

    it('concurrent refunds never exceed the payment', async () => {
      const link = await paid();
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => refund(link, 3000)));
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
      const [row] = await service.query(
        `select sum(r.amount_cents)::int as sum from sandbox.refunds r
         join payment_attempts a on a.processor_reference = r.payment where a.payment_link_id = $1`,
        [link.id],
      );
      expect(row?.sum).to.equal(9000);
    });

    it('a refund whose answer is lost is pending until the sweep asks, and is made once', async () => {
      for (const tookIt of [true, false]) {
        const link = await paid();
        const lossy = {
          ...payments.sandbox,
          refund: async (request: Parameters<typeof payments.sandbox.refund>[0]) => {
            if (tookIt) await payments.sandbox.refund(request);
            throw new ProcessorUnavailable(new Error('timeout'));
          },
        };
        expect((await refund(link, null, lossy)).status).to.equal('pending');
        expect(await payments.events(link)).to.deep.equal(['paid']);
        const page = await payments.pages().find(link.token);
        expect(page?.payment).to.include({ refundedCents: 0, refundingCents: 10_000, reversedCents: 0 });
        if (!tookIt) {
          // A question about the payment in the meantime does not put off that about its refund.
          const { reference, account } = await payments.payment(link);
          await payments.notify(account, { kind: 'payment', reference });
        }
        service.clock.advance({ minutes: 2 });
        await payments.sweep();
        await payments.sweep();
        expect(await seen(link)).to.deep.equal(['paid', 'refunded', [[100, 'succeeded', 'goodwill']]]);
        expect(await payments.events(link)).to.deep.equal(['paid', 'refunded']);
      }
    });

    it('a recorded refund stays pending after any fault, so that staff do not make it a second time', async () => {
      const mistaken = {
        ...payments.sandbox,
        refund: async (request: Parameters<typeof payments.sandbox.refund>[0]) => {
          await payments.sandbox.refund(request);
          throw new TypeError('a mistake of ours');
        },
      };
      const first = await paid();
      expect((await refund(first, 4000, mistaken)).status).to.equal('pending');
      const second = await paid();
      // The answer can't be merged.
      await service.query('alter table refunds add constraint broken check (processor_reference is null) not valid');
      try {
        expect((await refund(second, 4000)).status).to.equal('pending');
      } finally {
        await service.query('alter table refunds drop constraint broken');
      }
      service.clock.advance({ minutes: 2 });
      await payments.sweep();
      for (const link of [first, second]) {
        expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [[40, 'succeeded', 'goodwill']]]);
      }
    });

    it('a refund that fails, at once or later, leaves the payment unchanged', async () => {
      const link = await paid();
      await refund(link, null);
      const { reference, account } = await payments.payment(link);
      await payments.failRefunds(reference);
      await payments.notify(account, { kind: 'payment', reference });
      expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [[100, 'failed', 'goodwill']]]);
      await service.query('update sandbox.payments set amount_cents = 1 where reference = $1', [reference]);
      expect((await refund(link, null)).status).to.equal('failed');
      const [, transaction] = await seen(link);
      expect(transaction).to.equal('succeeded');
    });

    for (const isNotified of [true, false]) {
      it(`a slow refund is pending until it arrives, and arrives once (${isNotified ? '' : 'not '}notified)`, async () => {
        const link = await paid('card_refund_later');
        const { reference, account } = await payments.payment(link);
        expect((await refund(link, null)).status).to.equal('pending');
        expect(await seen(link)).to.deep.equal(['paid', 'refunded', [[100, 'pending', 'goodwill']]]);
        expect(await payments.events(link)).to.deep.equal(['paid']);
        service.clock.advance({ seconds: SETTLE_SECONDS });
        if (isNotified) await payments.notify(account, { kind: 'payment', reference });
        await payments.sweep();
        expect(await seen(link)).to.deep.equal(['paid', 'refunded', [[100, 'succeeded', 'goodwill']]]);
        expect(await payments.events(link)).to.deep.equal(['paid', 'refunded']);
      });
    }
  });

  describe('disputes', () => {
    const input = { reason: 'fraudulent', amountCents: 10_000, evidenceDueBy: new Date('2030-08-01T00:00:00.000Z') };

    it('a bank opens and closes a dispute once each, which changes neither link nor transaction', async () => {
      for (const outcome of ['won', 'lost'] as const) {
        const link = await paid();
        const opened = await simulateDisputeOpening(
          { ...service.scope(), processor: payments.sandbox, ...separately },
          link.id,
          input,
        );
        expect(opened).to.include({ status: 'open', reason: 'fraudulent', amount: 100 });
        expect(
          await simulateDisputeClosing(
            { ...service.scope(), processor: payments.sandbox, ...separately },
            link.id,
            outcome,
          ),
        ).to.include({
          status: outcome,
        });
        const { account } = await payments.payment(link);
        const [row] = await service.query<{ reference: string }>(
          'select processor_reference as reference from disputes where payment_link_id = $1',
          [link.id],
        );
        for (let time = 0; time < 3; time++) {
          await payments.notify(account, { kind: 'dispute', reference: row?.reference ?? '' });
        }
        expect(await seen(link)).to.deep.equal(['paid', 'succeeded', []]);
        expect(await payments.events(link)).to.deep.equal(['paid', 'disputed', 'dispute_closed']);
        expect((await contexts(link)).slice(1)).to.deep.equal([
          { disputeReason: 'fraudulent', disputeAmount: 100, evidenceDueBy: '2030-08-01T00:00:00.000Z' },
          { disputeOutcome: outcome },
        ]);
      }
    });

    it('a bank reversal of a settled debit is recorded as a full refund', async () => {
      const link = await paid('bank_settles');
      await payments.settle();
      const shown = await simulateDisputeOpening(
        { ...service.scope(), processor: payments.sandbox, ...separately },
        link.id,
        {
          ...input,
          reason: 'insufficient_funds',
        },
      );
      expect(shown).to.include({ object: 'refund', status: 'succeeded', reason: 'bank_reversal' });
      expect(await seen(link)).to.deep.equal(['paid', 'refunded', [[100, 'succeeded', 'bank_reversal']]]);
      expect(await payments.events(link)).to.deep.equal(['processing', 'paid', 'refunded']);
      const page = await payments.pages().find(link.token);
      expect(page?.state).to.equal('bank_reversed');
      expect(page?.payment).to.include({ refundedCents: 0, refundingCents: 0, reversedCents: 10_000 });
    });

    describe('bank reversals during a refund', () => {
      const reversal = { ...input, reason: 'insufficient_funds' };

      /** A settled debit of $100, of which refunds of so many cents are under way. */
      async function refunding(...cents: number[]): Promise<PayableLink> {
        const link = await paid('bank_settles');
        await payments.settle();
        const slow = {
          ...payments.sandbox,
          refund: async (request: Parameters<typeof payments.sandbox.refund>[0]) => ({
            ...(await payments.sandbox.refund(request)),
            state: 'pending' as const,
          }),
        };
        for (const amount of cents) await refund(link, amount, slow);
        await service.query(`update sandbox.refunds set state = 'pending' where payment = $1`, [
          (await payments.payment(link)).reference,
        ]);
        return link;
      }

      it('a reversal during a full refund is recorded at once as a whole, and stays when the refunds fail', async () => {
        const link = await refunding(4000, 6000);
        const { reference, account } = await payments.payment(link);
        const dispute = await payments.sandbox.bank.openDispute(reference, reversal);
        for (let time = 0; time < 2; time++) await payments.notify(account, { kind: 'dispute', reference: dispute });
        expect(await payments.events(link)).to.deep.equal(['processing', 'paid', 'refunded']);
        await payments.failRefunds(reference);
        for (let time = 0; time < 2; time++) await payments.notify(account, { kind: 'payment', reference });
        const [, transaction, refunds] = await seen(link);
        expect(transaction).to.equal('refunded');
        const taken = refunds.filter(([, , reason]: string[]) => reason === 'bank_reversal');
        expect(taken).to.deep.equal([[100, 'succeeded', 'bank_reversal']]);
      });

      it('a reversal is reported as refunded twice only after the other refund has arrived', async () => {
        const adminMails = async (link: PayableLink) =>
          service.query(
            `select n.kind, j.payload ->> 'amountCents' as cents from payment_admin_mails n
             left join graphile_worker._private_jobs j on j.payload ->> 'subjectId' = n.subject_id
             where n.payment_link_id = $1 and n.kind = 'returned_after_refund'`,
            [link.id],
          );
        const link = await refunding(4000);
        await simulateDisputeOpening(
          { ...service.scope(), processor: payments.sandbox, ...separately },
          link.id,
          reversal,
        );
        expect(await adminMails(link)).to.deep.equal([]);
        const { reference, account } = await payments.payment(link);
        await service.query(`update sandbox.refunds set state = 'succeeded' where payment = $1`, [reference]);
        await payments.notify(account, { kind: 'payment', reference });
        expect(await adminMails(link)).to.deep.equal([{ kind: 'returned_after_refund', cents: '4000' }]);
        const refunded = await refunding();
        await refund(refunded, 2500);
        await simulateDisputeOpening(
          { ...service.scope(), processor: payments.sandbox, ...separately },
          refunded.id,
          reversal,
        );
        expect(await adminMails(refunded)).to.deep.equal([{ kind: 'returned_after_refund', cents: '2500' }]);
      });
    });

    it('a dispute needs a settled payment, opens only once at a time, and closes only when open', async () => {
      const pending = await paid('bank_settles');
      const link = await paid();
      await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, input);
      const codes = await Promise.all(
        [
          simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, pending.id, input),
          simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, input),
          simulateDisputeClosing({ ...service.scope(), processor: payments.sandbox, ...separately }, pending.id, 'won'),
        ].map((playing) => playing.catch((error) => error.code)),
      );
      expect(codes).to.deep.equal(['validation_error', 'validation_error', 'not_found']);
    });
  });
});
