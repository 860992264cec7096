import { expect } from 'chai';
import { purgeReceiptRequests } from '../../src/payment-links/checkout/receipt.ts';
import { updatePractice } from '../../src/practices/service.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { createLink, TestService } from '../harness/service.ts';

describe('receipts by mail', () => {
  const service = useService({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' } });
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  let mails: KeptMails;

  before(async () => {
    await updatePractice(service.scope(), practice.practiceId, {
      phone: '+12025550143',
      postalAddress: '1 Elm St\nIL',
    });
  });

  beforeEach(() => {
    mails = new KeptMails();
    // Rate windows of the test before are over.
    service.clock.advance({ minutes: 2 });
  });

  const paid = async () => {
    const link = await payments.link(practice, { description: 'Root canal of Ada Byron' });
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    return link;
  };

  const get = async ({ token }: Pick<PayableLink, 'token'>, query = '') =>
    (await fetch(`${service.baseUrl}/pay/${token}${query}`)).text();

  const ask = async ({ token }: Pick<PayableLink, 'token'>, email: string, fields: Record<string, string> = {}) => {
    const body = new URLSearchParams({ lang: 'en', email, ...fields });
    const init = { method: 'POST', body, redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } } as const;
    const response = await fetch(`${service.baseUrl}/pay/${token}/receipt`, init);
    return { status: response.status, location: response.headers.get('location'), text: await response.text() };
  };

  const rows = (text: string) => service.query(text);

  it('the receipt that a patient asks for comes in the language of the page, without treatment, patient and page address', async () => {
    const link = await paid();
    const asked = await ask(link, ' Ada@Mail.example ', { lang: 'es' });
    expect([asked.status, asked.location]).to.deep.equal([303, `/pay/${link.token}?lang=es&result=receipt`]);
    expect(await get(link, '?lang=es&result=receipt')).to.include('El recibo está en camino a su correo.');
    const jobs = JSON.stringify(await rows('select payload from graphile_worker._private_jobs'));
    expect(jobs).to.include('rcr_').and.not.include('mail.example');
    await runJobs(service, mails);
    const [mail] = mails.mails;
    expect([mails.mails.length, mail?.to, mail?.subject]).to.deep.equal([
      1,
      'ada@mail.example',
      'Recibo de Elm Street Dental',
    ]);
    for (const part of [
      '$125.50',
      'Elm Street Dental, Downtown',
      '1 Elm St, IL',
      '4242',
      '2030',
      link.id,
      '(202) 555-0143',
    ]) {
      expect(mail?.text).to.include(part);
    }
    for (const part of [mail?.text, mail?.html]) {
      for (const secret of [link.token, 'Root canal', 'Byron', 'http']) expect(part).to.not.include(secret);
    }
    expect(mail?.html).to.include('>Recibo<').and.include('>$125.50<').and.include('1 Elm St<br>IL');
    expect(await rows('select email from receipt_requests where email is not null')).to.deep.equal([]);
  });

  it('both parts of a receipt have its heading, amount and practice, in both languages', async () => {
    for (const [lang, heading, label] of [
      ['en', 'Receipt', 'Amount paid'],
      ['es', 'Recibo', 'Monto pagado'],
    ] as const) {
      await ask(await paid(), `${lang}@mail.example`, { lang });
      await runJobs(service, mails);
      const mail = mails.mails.pop();
      for (const part of [mail?.text, mail?.html]) {
        for (const fact of [heading, label, '$125.50', 'Elm Street Dental', '(202) 555-0143']) {
          expect(part, lang).to.include(fact);
        }
      }
    }
  });

  it('a mail that fails is tried again, with the same Message-ID', async () => {
    await ask(await paid(), 'again@mail.example');
    mails.failures = 1;
    await runJobs(service, mails);
    await service.query('update graphile_worker._private_jobs set run_at = now()');
    await runJobs(service, mails);
    expect(mails.mails.map(({ to }) => to)).to.deep.equal(['again@mail.example']);
    await runJobs(service, mails);
    expect(mails.mails).to.have.length(1);
  });

  it('an invalid address is refused in words, with what was typed', async () => {
    const link = await paid();
    for (const email of ['', 'ada', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: x@y.example', '"><b>@x']) {
      const { status, text } = await ask(link, email);
      expect([status, text.includes('Enter an email address such as')], email).to.deep.equal([422, true]);
      expect(text).to.not.include('"><b>@x');
    }
    expect((await ask(link, 'ada@')).text).to.include('value="ada@"');
  });

  it('a link sends three receipts a day, also to requests that come at once', async () => {
    const link = await paid();
    const asked = await Promise.all(Array.from({ length: 6 }, (_, i) => ask(link, `a${i}@mail.example`)));
    const taken = asked.filter(({ status }) => status === 303).length;
    expect(taken).to.be.within(1, 3);
    for (let i = taken; i < 3; i++) await ask(link, `b${i}@mail.example`);
    const { status, text } = await ask(link, 'c@mail.example');
    expect([status, text.includes('requested several times')]).to.deep.equal([422, true]);
    await runJobs(service, mails);
    expect(mails.mails).to.have.length(3);
    service.clock.advance({ hours: 25 });
    while (await purgeReceiptRequests(service.scope()));
    expect(await rows('select from receipt_requests')).to.deep.equal([]);
    expect((await ask(link, 'c@mail.example')).status).to.equal(303);
  });

  it('one client address, and one mail address, get few receipts a minute over all links', async () => {
    const links = [await paid(), await paid(), await paid(), await paid()];
    const statuses: number[] = [];
    for (const link of links) statuses.push((await ask(link, 'victim@mail.example')).status);
    expect(statuses).to.deep.equal([303, 303, 303, 422]);
    service.clock.advance({ minutes: 2 });
    const [link] = links;
    if (link === undefined) throw new Error('there is one');
    for (let i = 0; i < 10; i++) await ask(link, `a${i}@mail.example`);
    expect((await ask(await paid(), 'fresh@mail.example')).status).to.equal(422);
  });

  it('a request that is a day old is not sent', async () => {
    await runJobs(service, new KeptMails());
    await ask(await paid(), 'late@mail.example');
    service.clock.advance({ hours: 25 });
    await runJobs(service, mails);
    expect(mails.mails).to.deep.equal([]);
  });

  it('receipts are offered for payments with real money only', async () => {
    const open = await payments.link(practice);
    const test = await createLink(practice.test);
    await practice.test.post(`/api/v1/test-helpers/payment-links/${test.id}/simulate`, { outcome: 'paid' });
    for (const token of [open.token, test.url.slice(test.url.lastIndexOf('/') + 1), 'x'.repeat(32)]) {
      const { status } = await ask({ token }, 'a@mail.example');
      expect(status, token).to.be.oneOf([400, 404]);
      expect(await get({ token })).to.not.include('receipt-email');
    }
    expect(await get(await paid())).to.include('receipt-email');
  });

  it('without a sender for mails, the page offers none and the form does not exist', async () => {
    // The sandbox always mails: into files, if there is no server.
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    const env = { PROCESSOR: 'stripe', ...keys };
    const silent = await TestService.start({ databaseUrl: service.config.databaseUrl, env });
    try {
      const { token } = await paid();
      const page = await fetch(`${silent.baseUrl}/pay/${token}`);
      expect(await page.text()).to.not.include('receipt-email');
      const body = new URLSearchParams({ lang: 'en', email: 'a@mail.example' });
      const form = await fetch(`${silent.baseUrl}/pay/${token}/receipt`, { method: 'POST', body });
      expect(form.status).to.equal(404);
    } finally {
      await silent.close();
    }
  });
});
