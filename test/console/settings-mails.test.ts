import { expect } from 'chai';
import { inTransaction } from '../../src/database/query/transaction.ts';
import { sendPaymentMail } from '../../src/payment-links/admin-mail/mail.ts';
import { setRecipients } from '../../src/practices/notifications.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails } from '../harness/mails.ts';
import { createLink } from '../harness/service.ts';
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
