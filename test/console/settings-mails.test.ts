import { expect } from 'chai';
import { inTransaction } from '../../src/database/query/transaction.ts';
import { sendPaymentMail } from '../../src/payment-links/admin-mail/mail.ts';
import { setRecipients } from '../../src/practices/notifications.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails } from '../harness/mails.ts';
import { createLink, TestService } from '../harness/service.ts';
import { StripeService } from '../payment-links/stripe-service.ts';
import { type ConsoleBrowser, expectRefused, signedInAs } from './console.ts';

describe('notifications of a practice', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let path: string;
  let browser: ConsoleBrowser;
  let paymentLinkId: string;

  before(async () => {
    path = `/console/${practice.practiceId}/settings/notifications`;
    browser = await signedInAs(service, practice.practiceId, 'owner');
    paymentLinkId = (await createLink(practice.live)).id;
  });

  const mail = () => ({ kind: 'refunded_too_much' as const, paymentLinkId, subjectId: 're_1', amountCents: 100 });
  const sent = async (mailer = new KeptMails()) => {
    await sendPaymentMail(service.scope(), mailer, mail());
    return mailer.mails.map(({ to, id }) => [to, id.replace(paymentLinkId, 'link')]);
  };
  const lastAct = async () => {
    const [act] = await service.query<{ before: object; after: object }>(
      'select action, before, after from audit_log where practice_id = $1 order by id desc limit 1',
      [practice.practiceId],
    );
    return act;
  };

  it('without recipients, every notification goes to the administrator', async () => {
    expect(await sent()).to.deep.equal([['admin@elm.example', 'link.refunded_too_much.re_1']]);
    expect((await browser.get(path)).text).to.include('Leave it empty to send these mails to admin@elm.example.');
  });

  it('a kind with recipients goes to each of them in its own mail, and the change is recorded', async () => {
    const saved = await browser.post(path, {
      disputes: 'law@elm.example',
      refunds: ' Money@elm.example\r\ndesk@elm.example; money@elm.example ',
    });
    expect(saved.location).to.equal(`${path}?done=saved`);
    const mails = await sent();
    expect(mails.map(([to]) => to)).to.deep.equal(['desk@elm.example', 'money@elm.example']);
    expect(new Set(mails.map(([, id]) => id)).size, 'their ids differ').to.equal(2);
    const none = { disputes: [], refunds: [], payments: [], webhooks: [] };
    expect(await lastAct()).to.deep.equal({
      action: 'notifications.changed',
      before: none,
      after: { ...none, disputes: ['law@elm.example'], refunds: ['desk@elm.example', 'money@elm.example'] },
    });
    expect((await browser.get(path)).text).to.include('desk@elm.example\nmoney@elm.example</textarea>');
  });

  it('one recipient whose mail fails does not keep the others from theirs, and the job tries again', async () => {
    const mailer = new KeptMails();
    mailer.failures = 1;
    const failed = await sent(mailer).catch((error: Error) => error.name);
    expect([failed, mailer.mails.map(({ to }) => to)]).to.deep.equal(['MailFailed', ['money@elm.example']]);
  });

  it('invalid and too many addresses are refused with what was typed, and nothing changes', async () => {
    const before = await lastAct();
    for (const webhooks of ['not an address', 'a@b.example\r\nBcc: x', 'a@b.example '.repeat(2), sixAddresses()]) {
      const { text } = await expectRefused(
        browser.post(path, { webhooks, refunds: 'kept@elm.example' }),
        'Webhooks: enter at most five',
        webhooks,
      );
      expect(text).to.include('kept@elm.example</textarea>');
    }
    expect(await lastAct()).to.deep.equal(before);
    expect(await sent()).to.have.length(2);
  });

  it('recipients of one practice get nothing of another', async () => {
    const other = await service.practice();
    await browser.post(path, { refunds: 'own@elm.example' });
    const wanted = { disputes: [], refunds: ['spy@oak.example'], payments: [], webhooks: [] };
    await inTransaction(service.scope(), (scope) => setRecipients(scope, other.practiceId, wanted));
    expect((await sent()).map(([to]) => to)).to.deep.equal(['own@elm.example']);
  });
});

const sixAddresses = () => Array.from({ length: 6 }, (_, i) => `a${i}@b.example`).join('\n');

describe('the payment account of a practice', () => {
  it('with the simulated processor, nothing needs to be set up', async () => {
    const service = await TestService.start();
    try {
      const { practiceId } = await service.practice({ paymentsEnabled: false });
      const browser = await signedInAs(service, practiceId, 'owner');
      const path = `/console/${practiceId}/settings/payment-account`;
      expect((await browser.get(path)).text).to.include('runs with a simulated processor');
      expect((await browser.post(path)).text).to.include('Nothing is left to do at the processor.');
      expect((await browser.post(`${path}/wallets`, { wallets: 'on' })).status).to.equal(400);
    } finally {
      await service.close();
    }
  });

  it('at Stripe, the page leads from no account to one that is ready, and wallets are offered as the practice wants', async () => {
    const stripe = await StripeService.start();
    try {
      const { service } = stripe;
      const { practiceId } = await service.practice({ paymentsEnabled: false });
      const browser = await signedInAs(service, practiceId, 'owner');
      const path = `/console/${practiceId}/settings/payment-account`;
      const title = async () => /<h2 id="state">([^<]*)</.exec((await browser.get(path)).text)?.[1];
      expect(await title()).to.equal('No account yet');
      const opened = await browser.post(path);
      const [, address = '', account = ''] =
        /<a class="button" href="(https:[^"]*?(acct_\w+)[^"]*)"/.exec(opened.text) ?? [];
      expect([opened.status, address === '']).to.deep.equal([200, false]);
      expect(await title()).to.equal('Not finished');
      expect((await browser.post(path)).text, 'there is one account').to.include(account);
      stripe.books.enable(account);
      expect((await browser.post(path)).text).to.include('Nothing is left to do at the processor.');
      expect(await title()).to.equal('Ready');
      const link = await createLink(stripe.practice.live);
      const own = await signedInAs(service, stripe.practice.practiceId, 'owner');
      const wallets = `/console/${stripe.practice.practiceId}/settings/payment-account/wallets`;
      const hosted = async () => (await own.get(new URL(link.url).pathname)).text.includes('data-wallets');
      expect(await hosted(), 'wallets are off at first').to.equal(false);
      await own.post(wallets, { wallets: 'on' });
      expect(await hosted()).to.equal(true);
      expect((await own.get(wallets.replace('/wallets', '?done=wallets'))).text).to.include('name="wallets" checked');
      await own.post(wallets);
      expect(await hosted()).to.equal(false);
      const acts = await stripe.service.query(
        'select action, actor_kind from audit_log where practice_id = $1 order by id',
        [practiceId],
      );
      expect(acts.slice(-1)).to.deep.equal([{ action: 'onboarding.opened', actor_kind: 'person' }]);
    } finally {
      await stripe.close();
    }
  });
});
