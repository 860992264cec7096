import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import Stripe from 'stripe';
import type { LinkPage } from '../../src/payment-links/checkout/port.ts';
import { STRIPE_SCRIPT } from '../../src/web/security-headers.ts';
import { overflow, violations } from './fixtures/accessibility.ts';
import { heading, useVisits } from './fixtures/browser.ts';
import { linkPage, STATES, tokenOf } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

const SHIM = readFileSync(new URL('fixtures/stripe-shim.js', import.meta.url), 'utf8');

/** Parameters that Stripe adds to the return address, which names the language. */
const RETURNED = '?lang=es&payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded';

const STRIPE: Partial<LinkPage> = {
  client: { collects: 'script', publishableKey: 'pk_live_key', accountId: 'acct_practice' },
};

describe('hosted pages with Stripe', () => {
  const started = usePages();
  const visits = useVisits();

  beforeEach(() => {
    started.pages.next = { result: 'accepted', after: { state: 'paid', paidAt: started.service.clock.now() } };
  });

  /** Opens a page. `answer` is Stripe's script; without it, the script is blocked. */
  const open = async (
    name: string,
    overrides: Partial<LinkPage>,
    { javaScript = true, answer, query = '' }: { javaScript?: boolean; answer?: string; query?: string } = {},
  ) => {
    const page = await visits.open(started.baseUrl, null, { javaScript, allowed: ['js.stripe.com'] });
    await page
      .context()
      .route('https://js.stripe.com/**', (route) =>
        answer === undefined ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: answer }),
      );
    const path = started.pages.put(linkPage({ ...STRIPE, ...overrides, token: tokenOf(name) }));
    await page.goto(`${path}${query}`);
    return page;
  };

  it('a payment is submitted by a confirmation token, and our server never receives the typed details', async () => {
    const page = await open('card', {}, { answer: SHIM });
    await page.getByText('Frame for card').waitFor();
    const types = await page.$$eval('input, textarea, select', (fields) => fields.map((field) => field.type));
    expect([...new Set(types)].sort()).to.deep.equal(['hidden', 'radio']);
    const calls = await page.evaluate('window.stripeCalls');
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(page, 'Thank you');
    expect(calls).to.deep.equal([
      ['Stripe', 'pk_live_key', { stripeAccount: 'acct_practice', locale: 'en' }],
      ['elements', { mode: 'payment', amount: 12550, currency: 'usd', allowedPaymentMethodTypes: ['card'] }],
      ['mount', 'payment'],
    ]);
    expect(started.pages.asked[0]?.value).to.include({ methodType: 'card', methodToken: 'ctoken_1abc' });
  });

  for (const wallets of [false, true]) {
    it(`the form of Stripe offers wallets ${wallets ? 'with' : 'only if the practice wants them, not with'} cards`, async () => {
      const page = await open(`wallets_${wallets}`, { offersWallets: wallets }, { answer: SHIM });
      await page.getByText('Frame for card').waitFor();
      const own = wallets ? 'auto' : 'never';
      const offered = () => page.evaluate('window.stripeWallets');
      expect(await offered()).to.deep.equal({ applePay: own, googlePay: own, link: 'never' });
      await page.getByLabel('US bank account').check();
      await page.getByText('Frame for us_bank_account').waitFor();
      expect(await offered()).to.deep.equal({ applePay: 'never', googlePay: 'never', link: 'never' });
    });
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`Stripe’s form passes axe, and its frames are as ${colorScheme} as the page`, async () => {
      const page = await open(`scheme_${colorScheme}`, {}, { answer: SHIM });
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await page.getByText('Frame for card').waitFor();
      const calls = await page.evaluate<[string, { appearance?: object }][]>('window.stripeCalls');
      const made = calls.find(([name]) => name === 'elements')?.[1];
      expect(made?.appearance).to.deep.equal(colorScheme === 'dark' ? { theme: 'night' } : undefined);
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await violations(page)).to.deep.equal([]);
        expect(await overflow(page)).to.equal(0);
      }
    });
  }

  it('choosing a bank account shows its frame and the authorisation above the button', async () => {
    const page = await open('bank', {}, { answer: SHIM });
    await page.getByLabel('US bank account').check();
    await page.getByText('Frame for us_bank_account').waitFor();
    const shown = await page.locator('.authorisation p').innerText();
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(page, 'Thank you');
    expect(started.pages.asked[0]?.value).to.include({
      methodType: 'us_bank_account',
      methodToken: 'ctoken_1abc',
      authorisationText: shown,
    });
  });

  it('an error of Stripe is shown and focused, and the patient can try again', async () => {
    const page = await open('fault', {}, { answer: SHIM });
    await page.evaluate("window.stripeFault = 'Your card number is incomplete.'");
    const button = page.getByRole('button', { name: 'Pay $125.50' });
    await button.click();
    await page.getByText('Your card number is incomplete.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.include('incomplete');
    expect(started.pages.asked).to.deep.equal([]);
    await page.evaluate('window.stripeFault = undefined');
    await button.click();
    await heading(page, 'Thank you');
  });

  it('a page whose script is blocked says what to do, and passes axe', async () => {
    for (const [name, answer] of [
      ['blocked', undefined],
      ['emptied', '/* by a blocker */'],
      ['frames', `window.stripeFrames = 'loaderror';${SHIM}`],
      ['broken', "window.Stripe = () => { throw new Error('IntegrationError') }"],
    ] as const) {
      const page = await open(name, {}, answer === undefined ? {} : { answer });
      await page.getByText('The payment form could not be loaded').waitFor();
      expect(await page.getByRole('button', { name: 'Pay $125.50' }).isDisabled()).to.equal(true);
      expect(await violations(page)).to.deep.equal([]);
      visits.last.faults.splice(0);
    }
  });

  it('the alert about blocked frames goes when the frames of another method load', async () => {
    const page = await open('other', {}, { answer: `window.stripeFrames = 'loaderror';${SHIM}` });
    const message = page.getByText('The payment form could not be loaded');
    await message.waitFor();
    await page.evaluate("window.stripeFrames = 'ready'");
    await page.getByLabel('US bank account').check();
    await page.getByText('Frame for us_bank_account').waitFor();
    await message.waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Pay $125.50' }).isEnabled()).to.equal(true);
  });

  it('a page without JavaScript says that it is needed', async () => {
    const page = await open('off', {}, { javaScript: false });
    // Playwright runs scripts of its own, so it finds no texts and roles within noscript.
    const message = page.locator('noscript .alert');
    expect(await message.isVisible()).to.equal(true);
    expect(await message.innerText())
      .to.include('JavaScript is switched off')
      .and.include('No money has been taken');
    expect(await page.locator('[data-loading]').isVisible()).to.equal(false);
    expect(await page.getByRole('button', { name: 'Pay $125.50' }).isDisabled()).to.equal(true);
  });

  it('a patient confirms at the bank, and the service retrieves the payment afterwards', async () => {
    const action = { kind: 'script', clientSecret: 'pi_1_secret_2' } as const;
    const page = await open('action', { state: 'requires_action', clientAction: action }, { answer: SHIM });
    await page.getByRole('button', { name: 'Continue to your bank' }).click();
    await heading(page, 'Thank you');
    expect(started.pages.asked.map(({ what }) => what)).to.deep.equal(['resume']);
  });

  for (const state of ['requires_action', 'in_progress'] as const) {
    const clientAction = state === 'in_progress' ? null : ({ kind: 'script', clientSecret: 'pi_1_secret_2' } as const);

    it(`a page sends “Check again” when the patient returns from the bank (${state})`, async () => {
      const page = await open(`back_${state}`, { state, clientAction }, { answer: SHIM, query: RETURNED });
      await heading(page, 'Gracias');
      expect(started.pages.asked.map(({ what }) => what)).to.deep.equal(['resume']);
      // The address no longer contains Stripe's parameters.
      expect(new URL(page.url()).search).to.equal('?lang=es');
    });

    it(`a page sends “Check again” once only, and then leaves it to the patient (${state})`, async () => {
      started.pages.next = { result: 'requires_action' };
      const page = await open(`again_${state}`, { state, clientAction }, { answer: SHIM, query: RETURNED });
      await page.waitForURL((url) => url.search === '?lang=es');
      await page.getByRole('button', { name: 'Consultar de nuevo' }).waitFor();
      expect(started.pages.asked).to.have.length(1);
    });

    it(`without JavaScript the patient presses “Check again” (${state})`, async () => {
      const page = await open(`plain_${state}`, { state, clientAction }, { javaScript: false, query: RETURNED });
      expect(started.pages.asked).to.deep.equal([]);
      await page.getByRole('button', { name: 'Consultar de nuevo' }).click();
      await heading(page, 'Gracias');
    });
  }

  it('a page sends nothing by itself without a return from the bank, or after the payment', async () => {
    for (const [state, query] of [
      ['in_progress', ''],
      ['paid', RETURNED],
      ['payable', RETURNED],
    ] as const) {
      const page = await open(`quiet_${state}`, { state }, { answer: SHIM, query });
      await page.waitForLoadState('networkidle');
      expect(started.pages.asked, state).to.deep.equal([]);
    }
  });

  it('a page in any other state loads nothing from Stripe', async () => {
    for (const state of STATES.filter((state) => state !== 'payable')) {
      const text = await started.text(started.pages.put(linkPage({ ...STRIPE, state, clientAction: null })));
      expect(text, state).to.not.include(STRIPE_SCRIPT);
    }
  });

  it('a submission without a valid confirmation token is refused', async () => {
    const path = started.pages.put(linkPage({ ...STRIPE, token: tokenOf('raw') }));
    for (const token of ['', 'pm_1', '4242424242424242', 'ctoken_<b>']) {
      const fields = { amount_cents: '12550', day: '2030-06-15', method_type: 'card', confirmation_token: token };
      const response = await fetch(`${started.baseUrl}${path}/submit`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      expect(response.status).to.equal(422);
      expect(await response.text())
        .to.include('did not arrive')
        .and.not.include('4242424242424242');
    }
    expect(started.pages.asked).to.deep.equal([]);
  });

  it('the page’s script belongs to the SDK’s API version', () => {
    expect(STRIPE_SCRIPT).to.equal(`https://js.stripe.com/${Stripe.MAJOR_API_VERSION}/stripe.js`);
  });
});
