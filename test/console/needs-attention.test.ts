import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
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
    const { id } = await simulateDisputeOpening(service.scope(), service.processor(), link.id, input);
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

  it('an entry ends with its cause: an answer or the end of a dispute, a settled link, or another refund', async () => {
    const [answered, lost] = [await dispute('Answered'), await dispute('Lost')];
    const { path } = billing;
    await clerk.post(`${path}/payments/${answered.link.id}/disputes/${answered.disputeId}`, { sent: 'yes' });
    await simulateDisputeClosing(service.scope(), service.processor(), lost.link.id, 'lost');
    const debit = await paid(billing, 'Returned', { method: 'bank_returns' });
    const refund = await failedRefund('Failing');
    expect(await entries()).to.have.members(['Debit returned: Returned', 'Refund failed: Failing']);
    await clerk.post(`${path}/links/${debit.id}/cancel`, { reason: 'paid_at_desk', confirmed: 'on' });
    await refundAll(refund.id);
    expect(await entries()).to.deep.equal([]);
    expect(sectionOf(await clerk.get(path))).to.include('Nothing: no open dispute');
  });

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
