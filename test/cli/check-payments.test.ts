import { expect } from 'chai';
import type { PayableLink } from '../harness/payments.ts';
import { findViolations } from '../harness/violations.ts';
import { useStripe } from '../payment-links/stripe-service.ts';

/** Statements that damage the payment of the link `$1`, by what they do, with the rule that must find each. */
const DAMAGES: Readonly<Record<string, [invariant: string, damage: string]>> = {
  'a pending refund over the amount': [
    'refunds_agree_with_payments',
    `insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
     select 're_too_much', practice_id, payment_link_id, id, amount_cents + 1, 'pending', created_at
     from transactions where payment_link_id = $1`,
  ],
  'a full refund of a payment that did not become refunded': [
    'refunds_agree_with_payments',
    `insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
     select 're_full', practice_id, payment_link_id, id, amount_cents, 'pending', created_at
     from transactions where payment_link_id = $1`,
  ],
  'a refund of a failed payment': [
    'refunds_agree_with_payments',
    `with refund as (
       insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
       select 're_failed', practice_id, payment_link_id, id, 1, 'succeeded', created_at from transactions where payment_link_id = $1
     ), delivery as (
       update webhook_deliveries set type = 'payment_link.refunded' where payment_link_id = $1
     )
     update transactions set status = 'failed', failure_reason = 'returned' where payment_link_id = $1`,
  ],
  'money that was taken for an active link without a record': [
    'payments_agree_with_attempts',
    `with lost as (delete from transactions where payment_link_id = $1)
     update payment_links set status = 'active', paid_at = null, closed_at = null, closed_by = null where id = $1`,
  ],
  'money that was taken for a cancelled link without a record': [
    'payments_agree_with_attempts',
    `with lost as (delete from transactions where payment_link_id = $1)
     update payment_links set status = 'cancelled', paid_at = null, closed_by = 'api' where id = $1`,
  ],
};

describe('paylinks check, of payments at Stripe', () => {
  const stripe = useStripe();

  /** Returns the rules that are violated, and the problems of each. */
  async function reported(): Promise<Record<string, string[]>> {
    const byRule = Map.groupBy(await findViolations(stripe.service), ({ invariant }) => invariant);
    return Object.fromEntries([...byRule].map(([rule, found]) => [rule, found.map(({ problem }) => problem)]));
  }

  async function paid(kind: 'success' | 'refundLater' = 'success'): Promise<PayableLink> {
    const { link } = await stripe.submitted(kind);
    return link;
  }

  const refund = (link: PayableLink, amountCents: number | null) => stripe.refund(link, amountCents);

  it('the check is quiet beside an hour of refunds that stay pending, while the processor is asked about them', async () => {
    const links = [await paid('refundLater'), await paid('refundLater')];
    for (const [index, link] of links.entries()) {
      expect((await refund(link, index === 0 ? null : 5_000)).status).to.equal('pending');
    }
    for (let minutes = 0; minutes <= 60; minutes += 10) {
      expect(await reported(), `after ${minutes} minutes`).to.deep.equal({});
      stripe.service.clock.advance({ minutes: 10 });
      await stripe.sweep();
    }
    expect((await stripe.seen(links[0] as PayableLink)).refunds[0].status).to.equal('pending');
    // Three days in which reconciliation alone asks.
    for (let hours = 0; hours < 72; hours += 6) {
      stripe.service.clock.advance({ hours: 6 });
      await stripe.sweep();
      expect(await reported(), `after ${hours} hours more`).to.deep.equal({});
    }
    for (const link of links) stripe.books.finishRefunds(stripe.account, (await stripe.reference(link)) as string);
    stripe.service.clock.advance({ hours: 2 });
    await stripe.sweep();
    expect((await stripe.seen(links[0] as PayableLink)).refunds[0].status).to.equal('succeeded');
    expect(await reported()).to.deep.equal({});
  });

  for (const [what, reconcileAt] of [
    ['never asked about', null],
    ['asked about in a week only', '7 days'],
    ['due for more than a day', '-25 hours'],
  ] as const) {
    it(`the check finds a pending refund that is ${what}`, async () => {
      const link = await paid('refundLater');
      await refund(link, null);
      await stripe.service.query(
        'update transactions set reconcile_at = $2::timestamptz + $3::interval where payment_link_id = $1',
        [...[link.id, stripe.service.clock.now(), reconcileAt]],
      );
      const found = await reported();
      expect(Object.keys(found)).to.deep.equal(['pending_refunds_are_asked_about']);
      expect(found.pending_refunds_are_asked_about?.join()).to.contain(link.id);
      await remove(link);
      expect(await reported()).to.deep.equal({});
    });
  }

  for (const [what, [invariant, damage]] of Object.entries(DAMAGES)) {
    it(`the check finds ${what}`, async () => {
      const link = await paid();
      await stripe.service.query(damage, [link.id]);
      const found = await reported();
      expect(found[invariant]?.join()).to.contain(link.id);
      await remove(link);
      expect(await reported()).to.deep.equal({});
    });
  }

  async function remove({ id }: PayableLink): Promise<void> {
    const money = ['disputes', 'refunds', 'transactions', 'payment_attempts'];
    for (const table of ['payment_admin_mails', 'webhook_deliveries', ...money])
      await stripe.service.query(`delete from ${table} where payment_link_id = $1`, [id]);
    await stripe.service.query('delete from payment_links where id = $1', [id]);
  }
});
