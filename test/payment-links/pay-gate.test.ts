import { expect } from 'chai';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { Client } from '../harness/client.ts';
import { useService } from '../harness/fixtures.ts';
import { Gate } from '../harness/gate.ts';
import { type PayableLink, submission, usePayments } from '../harness/payments.ts';

describe('a link that is changed while a payment waits for the processor', () => {
  const { service, practice, payments } = usePayments();
  const gates = { beforeCharge: new Gate(), afterCharge: new Gate(), beforeCancel: new Gate() };
  const processor: Processor = {
    ...payments.sandbox,
    confirm: async (...call) => {
      await gates.beforeCharge.pass();
      const snapshot = await payments.sandbox.confirm(...call);
      await gates.afterCharge.pass();
      return snapshot;
    },
    cancel: async (...call) => {
      await gates.beforeCancel.pass();
      return payments.sandbox.cancel(...call);
    },
  };
  const slow = useService({ beside: service, processor });
  let office: Client;

  before(() => {
    office = slow.client(practice.live.key);
  });

  afterEach(() => {
    for (const gate of Object.values(gates)) gate.open();
  });

  const path = ({ id }: PayableLink) => `/api/v1/payment-links/${id}`;
  const cancel = (link: PayableLink) => office.post(`${path(link)}/cancel`);
  const cheaper = (link: PayableLink) => office.patch(path(link), { amount: 99 });

  /** Does something while a submission hangs at the gate; returns what became of the submission. */
  async function whilePaying(link: PayableLink, gate: Gate, work: () => Promise<void>): Promise<string> {
    gate.close();
    const submitted = payments.pay(link, 'card_success', processor);
    await gate.reached();
    await work();
    gate.open();
    return submitted;
  }

  async function ends(link: PayableLink, status: string, events: string[], charges: number): Promise<void> {
    await payments.sweep();
    const seen = (await practice.live.get(path(link))).body;
    const [row] = await service.query<{ open: string | null }>(
      'select open_attempt_id as open from payment_links where id = $1',
      [link.id],
    );
    expect([seen.status, await payments.events(link), await payments.charges(link), row?.open]).to.deep.equal([
      status,
      events,
      charges,
      null,
    ]);
  }

  for (const [what, change, left] of [
    ['cancelled', cancel, { status: 'cancelled', events: ['cancelled'] }],
    ['given another amount', cheaper, { status: 'active', events: [] }],
  ] as const) {
    it(`a link that is ${what} before the charge is not charged`, async () => {
      const link = await payments.link(practice);
      const result = await whilePaying(link, gates.beforeCharge, async () => {
        expect((await change(link)).status).to.equal(200);
      });
      expect(result).to.equal('cancelled');
      await ends(link, left.status, [...left.events], 0);
    });

    it(`a link that is charged, without an answer to us yet, is not ${what} but paid`, async () => {
      const link = await payments.link(practice);
      const result = await whilePaying(link, gates.afterCharge, async () => {
        const { status, body } = await change(link);
        expect([status, body.error.code]).to.deep.equal([409, 'link_not_active']);
      });
      expect(result).to.equal('accepted');
      await ends(link, 'paid', ['paid'], 1);
    });

    it(`a link whose patient confirms before the cancellation is not ${what} but paid`, async () => {
      const link = await payments.link(practice);
      await payments.pay(link, 'card_challenge');
      gates.beforeCancel.close();
      const changing = change(link);
      await gates.beforeCancel.reached();
      expect(await payments.pay(link, 'card_success'), 'a second submission while the first is open').to.equal(
        'not_payable',
      );
      await payments.sandbox.bank.answerAction((await payments.payment(link)).reference, true);
      gates.beforeCancel.open();
      const { status, body } = await changing;
      expect([status, body.error.code]).to.deep.equal([409, 'link_not_active']);
      await ends(link, 'paid', ['paid'], 1);
    });
  }

  it('a link that gets another amount before the charge can be paid for that amount, once', async () => {
    const link = await payments.link(practice);
    await whilePaying(link, gates.beforeCharge, async () => void (await cheaper(link)));
    expect(await payments.pay(link, 'card_success')).to.equal('amount_changed');
    const agreed = { ...submission(link, 'card_success'), amountCents: 9900 };
    expect(await payments.pages().submit(link.token, agreed)).to.equal('accepted');
    await ends(link, 'paid', ['paid'], 1);
  });

  it('a link with another change than the amount is paid all the same', async () => {
    const link = await payments.link(practice);
    const result = await whilePaying(link, gates.beforeCharge, async () => {
      expect((await office.patch(path(link), { description: 'Crown', amount: 125.5 })).status).to.equal(200);
    });
    expect(result).to.equal('accepted');
    await ends(link, 'paid', ['paid'], 1);
  });

  describe('expiry during a payment', () => {
    const soon = async () => {
      const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
      return payments.link(practice, { expiresAt });
    };

    it('a link waits for a payment that began before its expiry, and is paid', async () => {
      const link = await soon();
      const result = await whilePaying(link, gates.beforeCharge, async () => {
        service.clock.advance({ minutes: 2 });
        expect(await expireDueLinks(() => service.scope())).to.equal(0);
      });
      expect(result).to.equal('accepted');
      await ends(link, 'paid', ['paid'], 1);
    });

    it('a link expires after its attempt is cancelled, and a later confirmation charges nothing', async () => {
      const link = await soon();
      const result = await whilePaying(link, gates.beforeCharge, async () => {
        service.clock.advance({ minutes: 5 });
        await payments.sweep();
        expect((await practice.live.get(path(link))).body.status).to.equal('expired');
      });
      expect(result).to.equal('cancelled');
      await ends(link, 'expired', ['expired'], 0);
    });
  });
});
