import { expect } from 'chai';
import type { Submission } from '../../src/payment-links/checkout/port.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { linkPage, STATES } from './fixtures/scripted-pages.ts';
import { payment, usePages } from './fixtures/started-pages.ts';

describe('forms of hosted pages', () => {
  const started = usePages({ PUBLIC_URL: 'https://pay.example.com/base/' });

  const submitted = () => started.pages.asked.map(({ value }) => value as Submission);

  describe('payments', () => {
    it('a submission reaches the service as chosen, and the browser is redirected to the page', async () => {
      const path = started.pages.put(linkPage());
      const response = await started.post(`${path}/submit`, payment({ lang: 'es' }), { 'user-agent': 'Test/1' });
      expect(response.status).to.equal(303);
      expect(response.headers.get('location')).to.equal(`/base${path}?lang=es&result=paid`);
      expect(submitted()).to.deep.equal([
        {
          amountCents: 12_550,
          methodType: 'card',
          methodToken: 'card_success',
          locale: 'es',
          address: '127.0.0.1',
          userAgent: 'Test/1',
          authorisationText: null,
        },
      ]);
    });

    it('a bank debit is submitted with the authorisation that stood above the button', async () => {
      const path = started.pages.put(linkPage());
      for (const lang of ['en', 'es']) {
        const shown = await started.text(`${path}?lang=${lang}`);
        await started.post(`${path}/submit`, payment({ lang, method_type: 'us_bank_account' }));
        expect(shown).to.include(submitted().at(-1)?.authorisationText ?? 'none');
      }
    });

    it('a page that was open over midnight keeps the authorisation of its day, and an older page is shown again', async () => {
      const path = started.pages.put(linkPage());
      const debit = (day: string) => started.post(`${path}/submit`, payment({ method_type: 'us_bank_account', day }));
      expect((await debit('2030-06-14')).status).to.equal(303);
      expect(submitted()[0]?.authorisationText).to.include('June 14, 2030');
      const outdated = await debit('2030-06-13');
      expect(outdated.status).to.equal(422);
      expect(await outdated.text()).to.include('open for too long');
    });

    it('a payment of another amount than the page showed is not made', async () => {
      const path = started.pages.put(linkPage({ amountCents: 20_000 }));
      const response = await started.post(`${path}/submit`, payment());
      expect(response.status).to.equal(422);
      expect(await response.text())
        .to.include('has changed to $200.00')
        .and.include('Pay $200.00');
      expect(started.pages.asked).to.deep.equal([]);
    });

    it('a submission without a choice shows the form again and names the missing field', async () => {
      const path = started.pages.put(linkPage());
      for (const [fields, field] of [
        [payment({ method_type: 'cash' }), 'method_type_card'],
        [payment({ card_method: '' }), 'card_success'],
        [payment({ card_method: '4242424242424242' }), 'card_success'],
        [payment({ card_method: 'crash_after_charge' }), 'card_success'],
      ] as const) {
        const response = await started.post(`${path}/submit`, fields);
        expect(response.status).to.equal(422);
        const text = await response.text();
        expect(text).to.include(`href="#${field}"`).and.include(`id="${field}"`).and.include('role="alert"');
        expect(text).to.not.include('4242424242424242');
      }
      expect(started.pages.asked).to.deep.equal([]);
    });

    it('a submission to a link that is not payable only redirects to its page', async () => {
      for (const state of STATES.filter((other) => other !== 'payable')) {
        const path = started.pages.put(linkPage({ state }));
        const response = await started.post(`${path}/submit`, payment());
        expect(response.headers.get('location'), state).to.match(/result=not_payable$/);
      }
      expect(started.pages.asked).to.deep.equal([]);
    });

    it('the next page explains a declined payment', async () => {
      const path = started.pages.put(linkPage());
      started.pages.next = { result: 'declined', after: { lastFailure: 'insufficient_funds' } };
      const declined = await started.post(`${path}/submit`, payment());
      expect(declined.headers.get('location')).to.equal(`/base${path}?lang=en`);
      expect(await started.text(path))
        .to.include('There was not enough money')
        .and.include('No money has been');
    });

    for (const [result, words] of [
      ['try_later', 'Try again in a few minutes'],
      ['cancelled', 'No money has been taken. Try again.'],
      ['not_payable', 'No money has been taken. Try again.'],
      ['amount_changed', 'The amount has changed to $'],
    ] as const) {
      it(`the next page explains the result ${result}`, async () => {
        const path = started.pages.put(linkPage());
        started.pages.next = { result, after: { lastFailure: null } };
        const response = await started.post(`${path}/submit`, payment());
        expect(response.headers.get('location')).to.equal(`/base${path}?lang=en&result=${result}`);
        const text = await started.text(`${path}?result=${result}`);
        expect(text).to.include(words);
        expect(text.includes('The amount has changed')).to.equal(result === 'amount_changed');
      });
    }

    it('an unknown failure reason does not appear on the page', async () => {
      for (const lastFailure of ['<b>', 'constructor', '__proto__', 'some_new_code']) {
        const text = await started.text(started.pages.put(linkPage({ lastFailure })));
        expect(text).to.include('The payment was not accepted.').and.not.include('some_new_code');
      }
    });
  });

  describe('other actions', () => {
    it('resume, approve and refuse reach the service', async () => {
      const path = started.pages.put(linkPage({ state: 'requires_action' }));
      await started.post(`${path}/resume`, { lang: 'en' });
      await started.post(`${path}/sandbox`, { decision: 'approve' });
      await started.post(`${path}/sandbox`, { decision: 'refuse' });
      expect((await started.post(`${path}/sandbox`, { decision: 'perhaps' })).status).to.equal(400);
      expect(started.pages.asked.map(({ what, value }) => [what, value])).to.deep.equal([
        ['resume', null],
        ['actInSandbox', true],
        ['actInSandbox', false],
      ]);
    });

    for (const [lang, label] of [
      ['en', 'Pay another way'],
      ['es', 'Pagar de otra forma'],
    ] as const) {
      it(`“pay another way” cancels a payment that waits for the patient, without an alert (${lang})`, async () => {
        for (const clientAction of [{ kind: 'choice' }, { kind: 'script', clientSecret: 'x' }, null] as const) {
          const path = started.pages.put(linkPage({ state: 'requires_action', clientAction }));
          const text = await started.text(`${path}?lang=${lang}`);
          expect(text).to.include(`action="/base${path}/another"`).and.include(label);
          started.pages.next = { result: 'cancelled' };
          const response = await started.post(`${path}/another`, { lang });
          expect(response.headers.get('location')).to.equal(`/base${path}?lang=${lang}`);
        }
        expect(started.pages.asked.map(({ what }) => what)).to.deep.equal(Array(3).fill('cancelAttempt'));
      });
    }

    it('“pay another way” shows an alert while the processor cannot be reached', async () => {
      const path = started.pages.put(linkPage({ state: 'requires_action' }));
      started.pages.next = { result: 'try_later' };
      const response = await started.post(`${path}/another`, {});
      expect(response.headers.get('location')).to.match(/result=try_later$/);
    });

    it('simulate offers five outcomes, on test links only', async () => {
      const test = started.pages.put(linkPage({ test: true }));
      const text = await started.text(test);
      const outcomes = [...text.matchAll(/name="outcome" value="(\w+)"/g)].map(([, outcome = '']) => outcome);
      for (const outcome of outcomes)
        expect((await started.post(`${test}/simulate`, { outcome })).status).to.equal(303);
      expect(started.pages.asked.map(({ value }) => value)).to.deep.equal([
        'paid',
        'processing',
        'processing_then_paid',
        'failed',
        'expired',
      ]);
      expect((await started.post(`${test}/simulate`, { outcome: 'refunded' })).status).to.equal(400);
      const live = started.pages.put(linkPage());
      expect((await started.post(`${live}/simulate`, { outcome: 'paid' })).status).to.equal(400);
    });

    it('an action on a link that another request has changed redirects to its present state', async () => {
      const path = started.pages.put(linkPage({ test: true }));
      started.pages.next = { result: new ApiError('link_not_active') };
      const response = await started.post(`${path}/simulate`, { outcome: 'paid' });
      expect(response.headers.get('location')).to.match(/result=not_payable$/);
    });
  });
});
