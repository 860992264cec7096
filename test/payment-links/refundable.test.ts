import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { type PayableLink, usePayments } from '../harness/payments.ts';

describe('what can be refunded of a payment of 100 dollars', () => {
  const { service, practice, payments } = usePayments();

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, method);
    if (method === 'bank_settles') await payments.settle();
    return link;
  }

  const open = ({ id }: PayableLink, amountCents: number, reason = 'fraudulent', scope: Scope = service.scope()) =>
    simulateDisputeOpening({ ...scope, processor: payments.sandbox, ...separately }, id, {
      reason,
      amountCents,
      evidenceDueBy: null,
    });

  const close = ({ id }: PayableLink, outcome: 'won' | 'lost') =>
    simulateDisputeClosing({ ...service.scope(), processor: payments.sandbox, ...separately }, id, outcome);

  const refund = ({ id }: PayableLink, amountCents: number | null = null) =>
    createRefund({ ...service.scope(), processor: payments.sandbox, ...separately }, { linkId: id, amountCents });

  /** Asks the sandbox itself, as if the service had no rule. */
  async function refundAtSandbox(link: PayableLink, amountCents: number): Promise<string> {
    const { account, reference: paymentReference } = await payments.payment(link);
    const request = { account: { id: account }, paymentReference, refundId: `re_${amountCents}`, amountCents };
    return (await payments.sandbox.refund(request)).state;
  }

  /** Returns the reason of a refusal. */
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'accepted',
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );

  async function recorded({ id }: PayableLink) {
    return service.query<{ reason: string | null; status: string; cents: number }>(
      'select reason, status, amount_cents as cents from refunds where payment_link_id = $1 order by created_at, id',
      [id],
    );
  }

  it('a lost dispute of all leaves nothing to refund or dispute, and the refusals name it', async () => {
    const link = await paid();
    await open(link, 10_000);
    await close(link, 'lost');
    const taken = 'The patient’s bank took 100 dollars back by a lost dispute.';
    for (const cents of [null, 10_000, 1]) {
      const left = 'validation_error: At most 0 dollars are left to refund.';
      expect(await refusal(refund(link, cents))).to.equal(`${left} ${taken}`);
    }
    expect(await refusal(open(link, 1))).to.equal(`validation_error: At most 0 dollars can be disputed. ${taken}`);
    expect(await refundAtSandbox(link, 1)).to.equal('failed');
    expect(await recorded(link)).to.deep.equal([]);
  });

  it('a dispute lost in part leaves the rest, of which a second dispute can take no more', async () => {
    const link = await paid();
    await open(link, 6_000);
    await close(link, 'lost');
    expect(await refusal(refund(link, 10_000))).to.match(/At most 40 dollars are left.* took 60 dollars back/);
    expect(await refusal(open(link, 4_001))).to.match(/At most 40 dollars can be disputed.* took 60 dollars back/);
    expect(await refundAtSandbox(link, 4_001)).to.equal('failed');
    await refund(link, 1_500);
    await open(link, 4_000);
    await close(link, 'won');
    await refund(link, 2_500);
    expect(await refusal(refund(link, 1))).to.match(/At most 0 dollars are left/);
    expect((await recorded(link)).map(({ cents, status }) => [cents, status])).to.deep.equal([
      [1_500, 'succeeded'],
      [2_500, 'succeeded'],
    ]);
  });

  it('an open dispute and a won one take nothing, and refunds leave less to refund after a lost one', async () => {
    const link = await paid();
    await open(link, 10_000);
    await refund(link, 3_000);
    await close(link, 'won');
    await refund(link, 3_000);
    await open(link, 2_000);
    await close(link, 'lost');
    expect(await refusal(refund(link, 2_001))).to.match(/At most 20 dollars are left/);
    await refund(link);
    expect((await recorded(link)).map(({ cents }) => cents)).to.deep.equal([3_000, 3_000, 2_000]);
  });

  it('a refund without an answer that is asked for again after a lost dispute fails at the sandbox', async () => {
    const link = await paid();
    const silent = { ...payments.sandbox, refund: () => Promise.reject(new Error('no answer')) };
    await createRefund({ ...service.scope(), processor: silent, ...separately }, { linkId: link.id });
    await open(link, 10_000);
    await close(link, 'lost');
    service.clock.advance({ minutes: 2 });
    await payments.sweep();
    expect(await recorded(link)).to.deep.equal([{ reason: null, status: 'failed', cents: 10_000 }]);
  });

  it('a debit that was refunded in full and then returned has a record and an event of the amount that the bank took', async () => {
    const link = await paid('bank_settles');
    await refund(link);
    expect(await open(link, 10_000, 'insufficient_funds')).to.include({ reason: 'bank_reversal', amount: 100 });
    expect(await payments.events(link)).to.deep.equal(['processing', 'paid', 'refunded', 'refunded']);
    expect(await recorded(link)).to.deep.equal([
      { reason: null, status: 'succeeded', cents: 10_000 },
      { reason: 'bank_reversal', status: 'succeeded', cents: 10_000 },
    ]);
    const { body } = await practice.live.get(`/api/v1/payment-links/${link.id}`);
    expect(body.transaction.status).to.equal('refunded');
    expect(await refusal(open(link, 1))).to.match(/At most 0 dollars can be disputed/);
  });

  it('of three disputes or returns that are opened at once, one is accepted, and closing it leaves none open', async () => {
    for (const [method, reason] of [
      ['card_success', 'fraudulent'],
      ['bank_settles', 'insufficient_funds'],
    ] as const) {
      const link = await paid(method);
      const outcomes = await Promise.all([1, 2, 3].map(() => refusal(open(link, 5_000, reason))));
      expect(outcomes.filter((outcome) => outcome === 'accepted')).to.have.length(1);
      expect(outcomes.filter((outcome) => /^validation_error: .*open already/.test(outcome))).to.have.length(2);
      const { reference } = await payments.payment(link);
      const count = () =>
        service.query(`select count(*)::integer as open from sandbox.disputes where payment = $1 and state = 'open'`, [
          reference,
        ]);
      expect(await count()).to.deep.equal([{ open: 1 }]);
      if (reason !== 'fraudulent') continue;
      await close(link, 'won');
      expect(await count()).to.deep.equal([{ open: 0 }]);
      expect(await refusal(close(link, 'won'))).to.match(/^not_found/);
      expect(await open(link, 5_000)).to.include({ status: 'open' });
    }
  });
});
