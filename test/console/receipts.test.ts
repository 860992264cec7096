import { expect } from 'chai';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { requestReceipt } from '../../src/payment-links/checkout/receipt.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { type ConsoleBrowser, expectRefused, hiddenFields, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

const VISIT = 'Crown, visit of June 3, 2030';

describe('receipts that staff give to patients', () => {
  const service = useService({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' } });
  let billing: BillingPractice;
  let links: string;
  let desk: ConsoleBrowser;
  let mails: KeptMails;

  before(async () => {
    billing = await billingPractice(service);
    links = `/console/${billing.practice.practiceId}/live/links`;
  });

  // Tests move the clock, which ends sessions.
  beforeEach(async () => {
    desk = await signedInAs(service, billing.practice.practiceId, 'front_desk');
    mails = new KeptMails();
  });

  const page = async (path: string, browser = desk) => (await browser.get(path)).text;

  /** Returns the names and values of the printed receipt. */
  const printed = async (id: string, language: string) => {
    const text = await page(`${links}/${id}/slip?patient=${language}`);
    const [, sheet = ''] = /<section class="slip"([\s\S]*?)<\/section>/.exec(text) ?? [];
    return [...sheet.matchAll(/<dt>([^<]+)<\/dt><dd[^>]*><bdi>([^<]+)</g)].map(
      ([, name, value]) => `${name}: ${value}`,
    );
  };

  const send = async (id: string, fields: Record<string, string>) => {
    const form = hiddenFields(await page(`${links}/${id}/send`));
    return desk.post(`${links}/${id}/send`, { ...form, language: 'en', ...fields });
  };

  for (const [language, name, purpose] of [
    ['en', 'Patient: Ada Byron', `For: ${VISIT}`],
    ['es', 'Paciente: Ada Byron', `Concepto: ${VISIT}`],
  ] as const) {
    it(`the mailed receipt has all that the printed one has, with patient and purpose, in ${language}`, async () => {
      const { id, token } = await paid(billing, 'Byron', { description: VISIT });
      const rows = await printed(id, language);
      expect(rows).to.include(name).and.include(purpose).and.have.length.above(6);
      for (const start of [`${links}/${id}`, `/console/${billing.practice.practiceId}/live/payments/${id}`]) {
        const reader = await signedInAs(service, billing.practice.practiceId, 'billing');
        expect(await page(start, reader))
          .to.include(`href="${links}/${id}/slip"`)
          .and.include(`href="${links}/${id}/send"`);
      }
      const sent = await send(id, { language, email: ' Ada@Mail.example ' });
      expect(sent.location).to.equal(`${links}/${id}?done=sent`);
      const jobs = JSON.stringify(await service.query('select payload from graphile_worker._private_jobs'));
      expect(jobs).to.not.include('mail.example').and.not.include('Byron');
      await runJobs(service, mails);
      const [mail] = mails.mails;
      expect([mails.mails.length, mail?.to]).to.deep.equal([1, 'ada@mail.example']);
      for (const row of rows) expect(mail?.text).to.include(row);
      expect(mail?.text).to.not.include(token).and.not.include('payment page').and.not.include('página de pago');
      expect(mail?.subject).to.not.include('Byron');
      const [entry] = await service.query(
        `select action, after from audit_log where target_id = $1 and action like '%.sent'`,
        [id],
      );
      expect(entry).to.deep.equal({ action: 'receipt.sent', after: { language } });
      expect(await page(`/pay/${token}`), 'anyone with the address').to.not.include('Byron');
    });
  }

  it('a receipt that anyone asks for on the page names neither the patient nor the purpose', async () => {
    const { id, token } = await paid(billing, 'Byron', { description: VISIT });
    const body = new URLSearchParams({ lang: 'en', email: 'anyone@mail.example' });
    const headers = { 'sec-fetch-site': 'same-origin' };
    await fetch(`${service.baseUrl}/pay/${token}/receipt`, { method: 'POST', body, headers, redirect: 'manual' });
    await runJobs(service, mails);
    expect(mails.mails[0]?.text).to.include(id).and.not.include('Byron').and.not.include('Crown');
  });

  it('a form that is sent twice mails once, three mails a day are the limit of a link, and no address is kept', async () => {
    const { id } = await paid(billing, 'Limit');
    const form = hiddenFields(await page(`${links}/${id}/send`));
    for (let i = 0; i < 2; i++) {
      await desk.post(`${links}/${id}/send`, { ...form, language: 'en', email: 'ada@mail.example' });
    }
    for (const email of ['', 'ada', 'a@b.example, c@d.example']) {
      const { text } = await expectRefused(send(id, { language: 'es', email }), 'Enter an email address');
      expect(text, 'the language stays').to.include('value="es" selected');
    }
    await send(id, { email: 'ada@mail.example' });
    await send(id, { email: 'ada@mail.example' });
    await expectRefused(send(id, { email: 'ada@mail.example' }), 'three times');
    await runJobs(service, mails);
    expect(mails.mails).to.have.length(3);
    expect(await service.query('select email from receipt_requests where email is not null')).to.deep.equal([]);
  });

  it('three receipts that a patient asks for leave the office its own three, and the other way round', async () => {
    const { id, token } = await paid(billing, 'Both');
    const ask = (number: number) => {
      const order = { email: `p${number}@mail.example`, language: 'en', limitAddress: `203.0.113.${number}` } as const;
      return requestReceipt(service.scope(), token, order);
    };
    expect([await ask(1), await ask(2)]).to.deep.equal(['queued', 'queued']);
    for (let i = 0; i < 3; i++) {
      expect((await send(id, { email: 'ada@mail.example' })).location, `${i}`).to.equal(`${links}/${id}?done=sent`);
    }
    expect([await ask(3), await ask(4)]).to.deep.equal(['queued', 'too_many']);
    await expectRefused(send(id, { email: 'ada@mail.example' }), 'three times');
    await runJobs(service, mails);
    expect(mails.mails).to.have.length(6);
  });

  it('a debit that has not settled or was returned has no receipt to send, and prints as what it is', async () => {
    const { id } = await paid(billing, 'Returned', { method: 'bank_returns' });
    expect(await page(`${links}/${id}`)).to.not.include('Send the receipt');
    expect(await page(`${links}/${id}/send`))
      .to.include('There is no receipt')
      .and.not.include('Send the email');
    await expectRefused(send(id, { sent: '0', email: 'ada@mail.example' }), 'There is no receipt');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    desk = await signedInAs(service, billing.practice.practiceId, 'front_desk');
    expect(await page(`${links}/${id}/slip`)).to.include('Returned bank debit');
    await runJobs(service, mails);
    expect(mails.mails.map(({ to }) => to)).to.not.include('ada@mail.example');
  });

  it('a debit that the bank took back after it settled has no receipt to send', async () => {
    const { id } = await paid(billing, 'Reversed', { method: 'bank_settles' });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    desk = await signedInAs(service, billing.practice.practiceId, 'front_desk');
    expect(await page(`${links}/${id}`), 'before').to.include('Send the receipt');
    const scope = { ...service.scope(), processor: billing.payments.sandbox, ...separately };
    const reversal = { reason: 'insufficient_funds', amountCents: 12_550, evidenceDueBy: null };
    await simulateDisputeOpening(scope, id, reversal);
    expect(await page(`${links}/${id}`)).to.not.include('Send the receipt');
    await expectRefused(send(id, { sent: '0', email: 'ada@mail.example' }), 'There is no receipt');
  });

  it('a viewer prints a receipt, and sends none', async () => {
    const { id } = await paid(billing, 'Viewed');
    const viewer = await signedInAs(service, billing.practice.practiceId, 'viewer');
    const text = await page(`${links}/${id}`, viewer);
    expect(text).to.include('Print the receipt').and.not.include('Send the receipt');
    expect((await viewer.post(`${links}/${id}/send`, { email: 'a@mail.example', sent: '0' })).status).to.equal(403);
  });
});
