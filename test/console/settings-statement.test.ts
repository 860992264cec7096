import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { StripeService } from '../payment-links/stripe-service.ts';
import { DESCRIPTOR, REFUSED_SUFFIX } from '../processors/fake-stripe-books.ts';
import { type ConsoleBrowser, expectRefused, signedInAs } from './console.ts';

describe('the addition to the name on statements', () => {
  const service = useService();
  const payments = new Payments(service);
  const practice = madeOnce(() => service.practice());
  let path: string;
  let browser: ConsoleBrowser;

  before(async () => {
    path = `/console/${practice.practiceId}/settings/payment-account`;
    browser = await signedInAs(service, practice.practiceId, 'owner');
  });

  const save = (suffix: string, language = 'en') => browser.post(`${path}/statement?lang=${language}`, { suffix });

  /** Pays a link, and returns what the receipt says of the statement. */
  const paid = async (method = 'card_success') => {
    const link = await payments.link(practice);
    await payments.pay(link, method);
    return (await payments.pages().find(link.token))?.payment?.statementDescriptor;
  };

  it('an addition stands on the receipts of later payments by card, in capital letters', async () => {
    expect(await paid()).to.equal('PAYLINKS SANDBOX');
    const saved = await save('  Elm  Dent ');
    expect([saved.status, saved.location]).to.deep.equal([303, `${path}?done=statement`]);
    const { text } = await browser.get(`${path}?done=statement`);
    expect(text)
      .to.include('The addition is saved.')
      .and.include('YOUR NAME* ELM DENT<')
      .and.include('value="ELM DENT"');
    expect(await paid()).to.equal('PAYLINKS* ELM DENT');
  });

  it('a change of the addition is in the audit log with both states, and an empty field removes it', async () => {
    await save('FIRST');
    await save('SECOND');
    await save(' ');
    const { text } = await browser.get(`/console/${practice.practiceId}/audit-log`);
    const changes = [...text.matchAll(/addition on card statements: <bdi>([^<]*)<\/bdi> → <bdi>([^<]*)</g)];
    expect(changes.slice(0, 2).map(([, before, after]) => [before, after])).to.deep.equal([
      ['SECOND', '–'],
      ['FIRST', 'SECOND'],
    ]);
    expect(await paid()).to.equal('PAYLINKS SANDBOX');
  });

  it('an addition that card networks or the processor would refuse is refused in words, in both languages', async () => {
    await save('KEPT');
    const texts = [
      '12345',
      'ELEVEN CHAR',
      'NIÑOS',
      'A*B',
      'A<B',
      'A>B',
      'A\\B',
      "A'B",
      'A"B',
      'A\tB',
      'A\u0000B',
      'デンタル',
    ];
    for (const text of texts.filter((text) => !text.includes('\u0000'))) {
      const refused = await expectRefused(save(text), 'at least one letter', text);
      expect(refused.text).to.include('aria-invalid="true"');
    }
    expect((await save('A\u0000B')).status).to.equal(400);
    expect((await save('12345', 'es')).text)
      .to.include('con una letra por lo menos')
      .and.include('value="12345"');
    await save('A&B 2/3-#.', 'en');
    expect((await browser.get(`${path}?lang=en`)).text).to.include('value="A&amp;B 2/3-#."');
  });

  it('a patient pays at Stripe with the addition, and without it if Stripe refuses it', async () => {
    const stripe = await StripeService.start();
    try {
      const own = await signedInAs(stripe.service, stripe.practice.practiceId, 'owner', { email: 'own@elm.example' });
      const statementOf = async (suffix: string, token: 'success' | 'bankSettles' = 'success') => {
        await own.post(`/console/${stripe.practice.practiceId}/settings/payment-account/statement`, { suffix });
        const link = await stripe.link();
        expect(await stripe.pay(link, token)).to.equal('accepted');
        if (token !== 'success') {
          const reference = (await stripe.reference(link)) ?? '';
          return (await stripe.processor.retrieve({ id: stripe.account }, reference))?.state;
        }
        return (await stripe.pages().find(link.token))?.payment?.statementDescriptor;
      };
      expect(await statementOf('DENTAL')).to.equal('ELM STREET* DENTAL');
      const sent = () => stripe.stripe.requests.filter((request) => request.includes('statement_descriptor')).length;
      const before = sent();
      expect(await statementOf('DENTAL', 'bankSettles')).to.equal('processing');
      expect(sent(), 'a debit has no addition').to.equal(before);
      expect(await statementOf(REFUSED_SUFFIX)).to.equal(DESCRIPTOR);
      expect(sent()).to.equal(before + 1);
    } finally {
      await stripe.close();
    }
  });
});
