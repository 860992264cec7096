import { expect } from 'chai';
import type { SubmitResult } from '../../src/payment-links/checkout/port.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { Gate } from '../harness/gate.ts';
import { noAnswer, type PayableLink, usePayments } from '../harness/payments.ts';

/** The process dies here: nothing catches it on purpose. */
class Crash extends Error {}

describe('“Check again” on a payment whose outcome is not known', () => {
  const { service, practice, payments } = usePayments();

  const processor = (overrides: Partial<Processor>): Processor => ({ ...payments.sandbox, ...overrides });
  const checkAgain = (link: PayableLink, by?: Processor): Promise<SubmitResult> =>
    payments.pages(by).resume(link.token);
  const state = async (link: PayableLink) => (await payments.pages().find(link.token))?.state;

  async function crash(link: PayableLink, overrides: Partial<Processor>): Promise<void> {
    const error = await payments.pay(link, 'card_success', processor(overrides)).catch((error) => error);
    expect(error).to.be.instanceOf(Crash);
  }

  const dies = async () => {
    throw new Crash();
  };

  for (const [when, overrides] of [
    ['before the processor heard of the payment', { begin: dies }],
    ['between its beginning and its charge', { confirm: dies }],
  ] as const) {
    it(`“Check again” frees the link at once after a crash ${when}, and the link is then paid once`, async () => {
      const link = await payments.link(practice);
      await crash(link, overrides);
      expect(await state(link)).to.equal('in_progress');
      expect(await checkAgain(link)).to.equal('cancelled');
      expect(await state(link)).to.equal('payable');
      expect(await payments.pay(link, 'card_success')).to.equal('accepted');
      expect([await payments.charges(link), await payments.events(link)]).to.deep.equal([1, ['paid']]);
    });
  }

  it('“Check again” applies the payment after a crash that followed the charge', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'crash_after_charge').catch(() => {});
    expect(await checkAgain(link)).to.equal('accepted');
    expect([await state(link), await payments.charges(link)]).to.deep.equal(['paid', 1]);
  });

  it('“Check again” does not change a payment that a live process is submitting', async () => {
    const gate = new Gate();
    const slow = processor({
      confirm: async (...call) => {
        await gate.pass();
        return payments.sandbox.confirm(...call);
      },
    });
    const link = await payments.link(practice);
    gate.close();
    const submitted = payments.pay(link, 'card_success', slow);
    await gate.reached();
    expect(await checkAgain(link)).to.equal('accepted');
    expect(await state(link)).to.equal('in_progress');
    gate.open();
    expect(await submitted).to.equal('accepted');
    expect([await state(link), await payments.charges(link)]).to.deep.equal(['paid', 1]);
  });

  for (const [what, charges, result] of [
    ['still on its way', 'after', 'cancelled'],
    ['already made', 'before', 'accepted'],
  ] as const) {
    it(`“Check again” never lets a link be charged twice when a process that looked dead wakes up, its charge ${what}`, async () => {
      const [charged, answered] = [new Gate(), new Gate()];
      const frozen = processor({
        confirm: async (...call) => {
          await charged.pass();
          const snapshot = await payments.sandbox.confirm(...call);
          await answered.pass();
          return snapshot;
        },
      });
      const link = await payments.link(practice);
      const gate = charges === 'after' ? charged : answered;
      gate.close();
      const submitted = payments.pay(link, 'card_success', frozen);
      await gate.reached();
      const thaw = await freezeRenewals(link);
      expect(await checkAgain(link)).to.equal(result);
      await thaw();
      const second = await payments.pay(link, 'bank_settles');
      expect(second).to.equal(charges === 'after' ? 'accepted' : 'not_payable');
      gate.open();
      await submitted;
      expect(await payments.charges(link)).to.equal(1);
      expect(await payments.events(link)).to.deep.equal([charges === 'after' ? 'processing' : 'paid']);
    });
  }

  /** Has the database ignore renewals of the link's attempt, as if its process were frozen; returns what ends that. */
  async function freezeRenewals(link: PayableLink): Promise<() => Promise<void>> {
    const name = `frozen_${link.id}`;
    await service.query(
      `update payment_attempts set submitting_until = null where payment_link_id = '${link.id}';
       create function ${name}() returns trigger language plpgsql as $$
       begin
         if new.payment_link_id = '${link.id}' then new.submitting_until := null; end if;
         return new;
       end $$;
       create trigger ${name} before update on payment_attempts for each row execute function ${name}()`,
    );
    return async () => {
      await service.query(`drop trigger ${name} on payment_attempts; drop function ${name}()`);
    };
  }

  it('“Check again” changes nothing while the processor does not answer or does not know the outcome', async () => {
    const link = await payments.link(practice);
    await crash(link, { confirm: dies });
    for (const by of [processor({ retrieve: noAnswer }), processor({ cancel: noAnswer })]) {
      expect(await checkAgain(link, by)).to.equal('accepted');
      expect(await state(link)).to.equal('in_progress');
      expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    }
    const undecided = processor({
      cancel: async (account, reference) => {
        const snapshot = await payments.sandbox.retrieve(account, reference);
        if (snapshot === null) throw new Error('begun');
        return snapshot;
      },
    });
    expect(await checkAgain(link, undecided)).to.equal('accepted');
    expect(await state(link)).to.equal('in_progress');
    expect(await checkAgain(link)).to.equal('cancelled');
  });
});
