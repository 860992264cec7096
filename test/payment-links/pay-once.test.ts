import { expect } from 'chai';
import { reconcileAttempts, reconcileTransactions } from '../../src/payment-links/payments/reconcile.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { type PayableLink, usePayments } from '../harness/payments.ts';

describe('a link is paid at most once', () => {
  const { service, practice, payments } = usePayments();

  /** The sandbox, with some of its calls replaced. */
  function processor(overrides: Partial<Processor>): Processor {
    return { ...payments.sandbox, ...overrides };
  }

  async function expectPaidOnce(link: PayableLink): Promise<void> {
    const [row] = await service.query('select status, open_attempt_id as open from payment_links where id = $1', [
      link.id,
    ]);
    expect(row).to.deep.equal({ status: 'paid', open: null });
    expect([await payments.events(link), await payments.charges(link)]).to.deep.equal([['paid'], 1]);
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
      const update = `update payment_links set ${change}, version = version + 1 where id = $1`;
      const commit = await service.lock(update, [link.id]);
      const paid = payments.pay(link, 'card_success');
      await service.untilWaiting();
      await commit();
      expect(await paid).to.equal(result);
      expect(await payments.charges(link)).to.equal(charges);
    });
  }

  it('a charge whose answer is lost is looked up at once', async () => {
    const link = await payments.link(practice);
    expect(await payments.pay(link, 'processor_timeout')).to.equal('accepted');
    await expectPaidOnce(link);
  });

  it('a worker that stops starts no further attempt or payment, and leaves them to the next run', async () => {
    const links = [await payments.link(practice), await payments.link(practice), await payments.link(practice)];
    const paid = [await payments.link(practice), await payments.link(practice)];
    for (const link of links) await payments.pay(link, 'card_challenge');
    for (const link of paid) await payments.pay(link, 'bank_settles');
    service.clock.advance({ hours: 7 });
    for (const sweep of [reconcileAttempts, reconcileTransactions]) {
      let looks = 0;
      const counting = processor({
        retrieve: async (...asked) => {
          looks++;
          return payments.sandbox.retrieve(...asked);
        },
      });
      const newScope = () => ({ ...service.scope(), processor: counting, ...separately });
      await sweep(newScope, () => looks < 1);
      expect(looks).to.equal(1);
      await sweep(newScope);
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
    await expectPaidOnce(other);
    service.clock.advance({ minutes: 3 });
    await payments.sweep();
    await expectPaidOnce(stuck);
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
});
