import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { useStripe } from '../payment-links/stripe-service.ts';
import { DESCRIPTOR, REFUSED_SUFFIX } from '../processors/fake-stripe-books.ts';
import { type ConsoleBrowser, expectRefused, signedInAs } from './console.ts';

describe('the payment account of a practice', () => {
  const service = useService();
  const payments = new Payments(service);
  const practice = madeOnce(() => service.practice());
  let path: string;
  let browser: ConsoleBrowser;

  before(async () => {
    path = `/console/${practice.practiceId}/settings/payment-account`;
    browser = await signedInAs(service, practice.practiceId, 'owner');
  });

  it('with the simulated processor, nothing needs to be set up', async () => {
    expect((await browser.get(path)).text).to.include('runs with a simulated processor');
    expect((await browser.post(path)).text).to.include('Nothing is left to do at the processor.');
    expect((await browser.post(`${path}/wallets`, { wallets: 'on' })).status).to.equal(400);
  });

  const save = (suffix: string) => browser.post(`${path}/statement`, { suffix });

  /** Pays a link, and returns what the receipt says of the statement. */
  const paid = async (method = 'card_success') => {
    const link = await payments.link(practice);
    await payments.pay(link, method);
    return (await payments.pages().find(link.token))?.payment?.statementDescriptor;
  };

  it('an addition stands on the receipts of later payments by card, in capital letters', async () => {
    expect(await paid()).to.equal('PAYLINKS SANDBOX');
    const saved = await save('  Elm  Dent ');
    expect([saved.status, saved.location]).to.deep.equal([303, `${path}?done=saved`]);
    const { text } = await browser.get(`${path}?done=saved`);
    expect(text).to.include('The change is saved.').and.include('YOUR NAME* ELM DENT<').and.include('value="ELM DENT"');
    expect(await paid()).to.equal('PAYLINKS* ELM DENT');
  });

  it('a change of the addition is in the audit log with both states, and an empty field removes it', async () => {
    await save('FIRST');
    await save('SECOND');
    await save(' ');
    const { text } = await browser.get(`/console/${practice.practiceId}/audit-log`);
    const changes = [...text.matchAll(/statementDescriptorSuffix: <bdi>([^<]*)<\/bdi> → <bdi>([^<]*)</g)];
    expect(changes.slice(0, 2).map(([, before, after]) => [before, after])).to.deep.equal([
      ['SECOND', '–'],
      ['FIRST', 'SECOND'],
    ]);
    expect(await paid()).to.equal('PAYLINKS SANDBOX');
  });

  it('an addition that card networks or the processor would refuse is refused in words', async () => {
    await save('KEPT');
    const signs = ['*', '<', '>', '\\', "'", '"', '\t'].map((sign) => `A${sign}B`);
    for (const text of ['12345', 'ELEVEN CHAR', 'NIÑOS', 'デンタル', ...signs]) {
      const refused = await expectRefused(save(text), 'at least one letter', text);
      expect(refused.text).to.include('aria-invalid="true"');
    }
    expect((await save('A\u0000B')).status).to.equal(400);
    expect((await save('12345')).text).to.include('value="12345"');
    await save('A&B 2/3-#.');
    expect((await browser.get(path)).text).to.include('value="A&amp;B 2/3-#."');
  });

  describe('at Stripe', () => {
    const stripe = useStripe();

    it('at Stripe, the page leads from no account to one that is ready', async () => {
      const { practiceId } = await stripe.service.practice({ paymentsEnabled: false });
      const owner = await signedInAs(stripe.service, practiceId, 'owner');
      const account = `/console/${practiceId}/settings/payment-account`;
      const title = async () => /<section class="card"><h2>([^<]*)/.exec((await owner.get(account)).text)?.[1];
      expect(await title()).to.equal('No account yet');
      const opened = await owner.post(account);
      const [, id = ''] = /<a class="button" href="https:[^"]*?(acct_\w+)/.exec(opened.text) ?? [];
      expect([opened.status, await title()]).to.deep.equal([200, 'Not finished']);
      expect((await owner.post(account)).text, 'there is one account').to.include(id);
      stripe.books.enable(id);
      expect((await owner.post(account)).text).to.include('Nothing is left to do at the processor.');
      expect(await title()).to.equal('Ready');
      const latest = 'select action, actor_kind from audit_log where practice_id = $1 order by id desc limit 1';
      const [act] = await stripe.service.query(latest, [practiceId]);
      expect(act).to.deep.equal({ action: 'onboarding.opened', actor_kind: 'person' });
    });

    it('patients of Stripe’s form get wallets, and an addition that Stripe takes, as the practice wants', async () => {
      const { practiceId, live } = stripe.practice;
      const owner = await signedInAs(stripe.service, practiceId, 'owner');
      const account = `/console/${practiceId}/settings/payment-account`;
      const link = await createLink(live);
      const hasWallets = async () => (await owner.get(new URL(link.url).pathname)).text.includes('data-wallets');
      expect(await hasWallets(), 'wallets are off at first').to.equal(false);
      await owner.post(`${account}/wallets`, { wallets: 'on' });
      expect(await hasWallets()).to.equal(true);
      expect((await owner.get(`${account}?done=saved`)).text).to.include('name="wallets" checked');
      await owner.post(`${account}/wallets`);
      expect(await hasWallets()).to.equal(false);
      const statementOf = async (suffix: string, token: 'success' | 'bankSettles' = 'success') => {
        await owner.post(`${account}/statement`, { suffix });
        const link = await stripe.link();
        expect(await stripe.pay(link, token)).to.equal('accepted');
        return (await stripe.pages().find(link.token))?.payment?.statementDescriptor;
      };
      expect(await statementOf('DENTAL')).to.equal('ELM STREET* DENTAL');
      const sent = () => stripe.stripe.requests.filter((request) => request.includes('statement_descriptor')).length;
      const before = sent();
      await statementOf('DENTAL', 'bankSettles');
      expect(sent(), 'a debit has no addition').to.equal(before);
      expect(await statementOf(REFUSED_SUFFIX)).to.equal(DESCRIPTOR);
      expect(sent()).to.equal(before + 1);
    });
  });
});
