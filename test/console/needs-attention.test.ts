import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import type { NeedsAttention } from '../../src/payment-links/billing/list-needs-attention.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import {
  type Answer,
  addMember,
  type ConsoleBrowser,
  expectRefused,
  hiddenFields,
  signedIn,
  signedInAs,
} from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

describe('what needs attention in the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let clerk: ConsoleBrowser;

  beforeEach(async () => {
    billing = await billingPractice(service);
    clerk = await signedInAs(service, billing.practice.practiceId, 'billing');
  });

  const dispute = async (lastName: string, evidenceDueBy: Date | null = null) => {
    const link = await paid(billing, lastName);
    const input = { reason: 'fraudulent', amountCents: link.amountCents, evidenceDueBy };
    const { id } = await simulateDisputeOpening(
      { ...service.scope(), processor: service.processor(), ...separately },
      link.id,
      input,
    );
    return { link, disputeId: id };
  };

  const refundAll = async (id: string) => {
    const path = `${billing.path}/payments/${id}/refund`;
    const form = hiddenFields((await clerk.post(path, { choice: 'all' })).text);
    await clerk.post(`${path}/confirm`, { ...form, confirmed: 'on' });
  };

  /** Makes a payment whose refund fails. Returns the ids of its link and of the refund. */
  const failedRefund = async (lastName: string, overrides: object = {}) => {
    const { id } = await paid(billing, lastName, { method: 'card_refund_fails', ...overrides });
    await refundAll(id);
    await billing.payments.settle();
    clerk = await signedInAs(service, billing.practice.practiceId, 'billing');
    const [row] = await service.query<{ id: string }>('select id from refunds where payment_link_id = $1', [id]);
    return { id, refundId: row?.id ?? '' };
  };

  const sectionOf = ({ text }: Answer) => /<h2>Needs attention<[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';

  /** Returns the badge and the patient of each entry. */
  const entries = async (query = '', browser = clerk) =>
    [
      ...sectionOf(await browser.get(`${billing.path}${query}`)).matchAll(
        /<bdi>Ada (\w+)<[\s\S]*?<span class="badge[^>]*>([^<]+)</g,
      ),
    ].map(([, name, badge]) => `${badge}: ${name}`);

  it('the first page has at most five entries, disputes by their deadline first, and leads to all of them', async () => {
    await paid(billing, 'Returned', { method: 'bank_returns' });
    // The debit comes back after the refund was made, so its entry is newer.
    await failedRefund('Failing');
    await dispute('Undated');
    const due = (days: number) => new Date(service.clock.now().getTime() + days * 86_400_000);
    await dispute('Later', due(9));
    await dispute('Sooner', due(3));
    await dispute('Overdue', due(-1));
    const first = [
      'Dispute: Overdue',
      'Dispute: Sooner',
      'Dispute: Later',
      'Dispute: Undated',
      'Debit returned: Returned',
    ];
    expect(await entries()).to.deep.equal(first);
    const section = sectionOf(await clerk.get(billing.path));
    expect(section)
      .to.match(/Evidence due .* The deadline has passed\./)
      .and.include('?attention=all">All (6)<');
    expect(await entries('?attention=all')).to.deep.equal([...first, 'Refund failed: Failing']);
    const desk = await signedInAs(service, billing.practice.practiceId, 'front_desk');
    expect((await desk.get(`${billing.path}?attention=all`)).text).to.not.match(/Needs attention|Overdue/);
  });

  it('a number of entries at the limit of the list says that there may be more', async () => {
    const { link } = await dispute('First');
    await service.query(
      `insert into disputes select (jsonb_populate_record(d, jsonb_build_object('id', left(d.id, -3) || n,
         'processor_reference', d.id || n))).*
       from disputes d, generate_series(100, 299) as n where d.payment_link_id = $1`,
      [link.id],
    );
    expect(sectionOf(await clerk.get(billing.path))).to.include('>All (200 or more)<');
  });

  /** Makes an entry. Returns how it ends by itself, and the path and form by which a person ends it, as the entry offers. */
  type Ends = { byItself: () => Promise<unknown>; path: string; form: Record<string, string> };
  const kinds: Record<NeedsAttention['reason'], () => Promise<Ends>> = {
    open_dispute: async () => {
      const { link, disputeId } = await dispute('Disputed');
      return {
        byItself: () =>
          simulateDisputeClosing(
            { ...service.scope(), processor: service.processor(), ...separately },
            link.id,
            'lost',
          ),
        path: `/payments/${link.id}/disputes/${disputeId}`,
        form: { sent: 'yes' },
      };
    },
    returned_debit: async () => {
      const { id } = await paid(billing, 'Returned', { method: 'bank_returns' });
      await billing.payments.settle();
      clerk = await signedInAs(service, billing.practice.practiceId, 'owner');
      const replace = async () => {
        const form = hiddenFields((await clerk.get(`${billing.path}/links/new?from=${id}`)).text);
        const entries = { firstName: 'Ada', lastName: 'Returned', amount: '125.50', description: 'Crown' };
        const { locationId } = billing.practice;
        return clerk.post(`${billing.path}/links/new`, { ...form, ...entries, locationId });
      };
      return { byItself: replace, path: `/links/${id}/cancel`, form: { reason: 'paid_at_desk', confirmed: 'on' } };
    },
    failed_refund: async () => {
      const { id, refundId } = await failedRefund('Failing');
      return {
        byItself: () => refundAll(id),
        path: '/attention',
        form: { refund: refundId, reason: 'paid_another_way' },
      };
    },
  };

  for (const [reason, make] of Object.entries(kinds)) {
    it(`an entry of the kind "${reason}" ends by the act of a person that it offers, and with its cause`, async () => {
      const { path, form } = await make();
      expect(sectionOf(await clerk.get(billing.path))).to.include(`"${billing.path}${path}`);
      expect((await clerk.post(`${billing.path}${path}`, form)).status).to.equal(303);
      expect(await entries()).to.deep.equal([]);
      const { byItself } = await make();
      expect(await entries()).to.have.length(1);
      await byItself();
      expect(sectionOf(await clerk.get(billing.path))).to.include('Nothing: no open dispute');
    });
  }

  it('a person ends a failed refund with a reason, once, which the audit log has, and nobody ends that of another location or practice', async () => {
    const { id, refundId } = await failedRefund('Failing');
    const form = { refund: refundId, reason: 'paid_another_way' };
    const act = `${billing.path}/attention`;
    await expectRefused(clerk.post(act, { refund: refundId, reason: 'because' }), 'Choose a reason');
    const user = await addMember(service, billing.practice.practiceId, 'billing', { locationIds: [billing.northId] });
    await expectRefused((await signedIn(service, user)).post(act, form), 'Not changed');
    await expectRefused(clerk.post(act.replace('/live/', '/test/'), form), 'Not changed');
    const other = await billingPractice(service);
    const stranger = await signedInAs(service, other.practice.practiceId, 'owner');
    await expectRefused(stranger.post(`${other.path}/attention`, form), 'Not changed');
    expect(await entries()).to.deep.equal(['Refund failed: Failing']);
    const shown = hiddenFields((await clerk.get(billing.path)).text, act);
    expect((await clerk.post(act, { ...shown, reason: form.reason })).location).to.equal(`${billing.path}?done=saved`);
    expect(await entries()).to.deep.equal([]);
    await expectRefused(clerk.post(act, form), 'Not changed');
    const acts = await service.query<{ after: object }>(
      `select after from audit_log where target_id = $1 and action = 'refund.settled'`,
      [id],
    );
    expect(acts).to.deep.equal([{ after: { refundId, reason: 'paid_another_way' } }]);
    expect((await clerk.get(`${billing.path}/payments/${id}`)).text).to.include(
      'The patient got the money another way',
    );
    const desk = await signedInAs(service, billing.practice.practiceId, 'front_desk');
    expect((await desk.get(`${billing.path}/links/${id}`)).text).to.not.include('got the money another way');
  });
});
