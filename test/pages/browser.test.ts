import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { LinkPage, Submission } from '../../src/payment-links/checkout/port.ts';
import { LANGUAGES, type Language } from '../../src/web/language.ts';
import { overflow, violations } from './fixtures/accessibility.ts';
import { heading, screenshot, tabTo, useVisits, type VisitOptions } from './fixtures/browser.ts';
import { AUTHORISATION, linkPage, STATES, tokenOf } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

/** A named page: the query of its address, and its link. */
interface Sample {
  name: string;
  query?: string;
  link: Partial<LinkPage> | null;
}

const SAMPLES: readonly Sample[] = [
  ...STATES.map((state) => ({ name: state, link: { state } })),
  { name: 'just_paid', query: '&result=paid', link: { state: 'paid', paidAt: new Date('2030-06-15T12:00:00Z') } },
  { name: 'declined', link: { lastFailure: 'card_declined' } },
  { name: 'test_link', link: { test: true } },
  { name: 'try_later', query: '&result=try_later', link: {} },
  { name: 'amount_changed', query: '&result=amount_changed', link: {} },
  { name: 'paid_elsewhere', query: '&result=not_payable', link: { state: 'paid' } },
  { name: 'partly_refunded', link: { state: 'paid', payment: givenBack(4_000, 0) } },
  { name: 'partly_being_refunded', link: { state: 'paid', payment: givenBack(4_000, 1_000) } },
  { name: 'being_refunded', link: { state: 'refunded', payment: givenBack(0, 12_550) } },
  {
    name: 'long_text',
    link: {
      description: 'Extraordinarily'.repeat(33),
      practice: { ...linkPage().practice, name: 'W'.repeat(100) },
      amountCents: 99_999_999,
    },
  },
  { name: 'no_phone', link: { phone: null } },
  { name: 'under_way_elsewhere', query: '&result=not_payable', link: { state: 'in_progress' } },
  { name: 'test_link_paid', link: { state: 'paid', test: true } },
  { name: 'test_debit', link: { state: 'bank_pending', test: true } },
  { name: 'not_found', link: null },
];

/** A card payment with a completed and a pending refund. */
function givenBack(refundedCents: number, refundingCents: number): LinkPage['payment'] {
  const { payment } = linkPage({ state: 'paid' });
  return payment === null ? null : { ...payment, refundedCents, refundingCents };
}

/** Widths in CSS pixels: that at which WCAG requires reflow, and that of a desktop. */
const WIDTHS = [320, 1280];

/** The color scheme of each language: a scheme changes only colors, and a language only texts. */
const SCHEME_OF = { en: 'light', es: 'dark' } as const satisfies Record<Language, string>;

/** Smallest edge of a touch target, in CSS pixels. */
const TARGET_PX = 44;

describe('hosted pages in a browser', () => {
  const started = usePages();
  const visits = useVisits();

  beforeEach(() => {
    for (const { name, link } of SAMPLES) {
      if (link !== null) started.pages.put(linkPage({ ...link, token: tokenOf(name) }));
    }
  });

  const open = (path: string, options: VisitOptions = {}) => visits.open(started.baseUrl, path, options);

  const fresh = (name: string, overrides: Partial<LinkPage> = {}) =>
    started.pages.put(linkPage({ ...overrides, token: tokenOf(name) }));

  for (const language of LANGUAGES) {
    for (const { name, query = '' } of SAMPLES) {
      it(`the hosted page "${name}" passes axe, reflows and has large touch targets at any width (${language}, ${SCHEME_OF[language]})`, async () => {
        const page = await open('about:blank');
        await page.emulateMedia({ colorScheme: SCHEME_OF[language] });
        await page.goto(`/pay/${tokenOf(name)}?lang=${language}${query}`);
        expect(await page.getAttribute('html', 'lang')).to.equal(language);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          const place = `${name} (${width} px)`;
          // A width changes only the layout, and a language only texts: axe judges each of both.
          if ((language === 'en') === width > 320) expect(await violations(page), place).to.deep.equal([]);
          expect(await overflow(page), `${place} overflows`).to.equal(0);
          expect(await smallTargets(page), place).to.deep.equal([]);
          // One picture of each page and language.
          if ((language === 'en') === width > 320) await screenshot(page, `${name}-${language}-${width}`);
        }
      });
    }

    it(`a form passes axe after the patient chose a method, and after an empty submission (${language})`, async () => {
      const page = await open('about:blank', { width: 320 });
      await page.goto(`${fresh('chosen')}?lang=${language}`);
      await page.locator('#method_type_us_bank_account').check();
      await page.locator('.authorisation').waitFor();
      expect(await violations(page), 'bank debit chosen').to.deep.equal([]);
      expect(await overflow(page)).to.equal(0);
      expect(await smallTargets(page)).to.deep.equal([]);
      await screenshot(page, `bank_chosen-${language}-320`);
      await page.locator('#bank_settles').evaluate((input) => input.setAttribute('value', 'nothing'));
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'POST'),
        page.locator('button.primary').click(),
      ]);
      expect(answer.status()).to.equal(422);
      await page.getByRole('alert').waitFor();
      expect(await violations(page), 'error summary').to.deep.equal([]);
      expect(await overflow(page)).to.equal(0);
      await screenshot(page, `error_summary-${language}-320`);
    });
  }

  it('a payable page shows practice, description and amount, and the amount is largest', async () => {
    const page = await open(fresh('who'));
    for (const text of ['Elm Street Dental', 'Downtown (Springfield, IL)', 'Cleaning and X-rays, March 3']) {
      expect(await page.getByText(text, { exact: true }).first().isVisible(), text).to.equal(true);
    }
    const sizes = await page.evaluate<[text: string, size: number][]>(
      "[...document.body.querySelectorAll('*')].map((one) => [one.textContent, parseFloat(getComputedStyle(one).fontSize)])",
    );
    const largest = Math.max(...sizes.map(([, size]) => size));
    expect(sizes.filter(([, size]) => size === largest).map(([text]) => text)).to.deep.equal(['$125.50']);
    expect(await page.title()).to.equal('Payment request');
  });

  it('a bank payment needs only the keyboard', async () => {
    const page = await open(fresh('keyboard'));
    started.pages.next = { result: 'accepted', after: { state: 'bank_pending', paidAt: new Date(0) } };
    expect(await page.locator('.authorisation').isVisible()).to.equal(false);
    await tabTo(page, '#method_type_card');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#method_type_us_bank_account').isChecked()).to.equal(true);
    expect(await page.locator('#card_success').isVisible()).to.equal(false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    const shown = await page.locator('.authorisation p').innerText();
    expect(shown).to.include('(202) 555-0143');
    await tabTo(page, 'button.primary');
    await page.keyboard.press('Enter');
    await heading(page, 'Your bank payment is on its way');
    const submission = started.pages.asked[0]?.value as Submission;
    expect(submission).to.include({ methodType: 'us_bank_account', methodToken: 'bank_returns' });
    expect(submission.authorisationText).to.equal(shown);
  });

  it('a payment works without JavaScript, in the language of the browser', async () => {
    const path = fresh('plain');
    started.pages.next = { result: 'declined', after: { lastFailure: 'card_declined' } };
    const page = await open(path, { javaScript: false, locale: 'es-MX' });
    await page.getByLabel('Visa 0002: se rechaza').check();
    await page.getByRole('button', { name: 'Pagar $125.50' }).click();
    await page.getByText('El banco rechazó la tarjeta.').waitFor();
    expect(started.pages.asked[0]?.value).to.include({ methodToken: 'card_declined', locale: 'es' });
    expect(await page.getByRole('button', { name: 'Imprimir' }).count()).to.equal(0);
  });

  it('an alert gets the focus and links to its field', async () => {
    const page = await open(fresh('focus'));
    await page.locator('#card_success').evaluate((input) => input.setAttribute('value', 'nothing'));
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await page.locator('[role="alert"]:focus').waitFor();
    expect(await focused(page)).to.include('There is a problem');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.name')).to.equal('card_method');
  });

  it('a button that is pressed several times sends the payment once', async () => {
    const page = await open(fresh('twice'));
    const { submit } = started.pages;
    const clicked = Promise.withResolvers<void>();
    started.pages.submit = async (...args) => {
      await clicked.promise;
      return submit.apply(started.pages, args);
    };
    started.pages.next = { result: 'accepted', after: { state: 'paid', paidAt: started.service.clock.now() } };
    try {
      await page.locator('button.primary').dblclick({ noWaitAfter: true });
      clicked.resolve();
      await heading(page, 'Thank you');
    } finally {
      started.pages.submit = submit;
    }
    expect(started.pages.asked).to.have.length(1);
  });

  for (const [name, link, texts] of [
    ['receipt', { state: 'paid', test: true }, ['Visa ending in 4242']],
    [
      'debit',
      { state: 'bank_pending' },
      ['Bank debit on its way', AUTHORISATION, '482-730-596', 'US bank account ending in 6789'],
    ],
  ] as const) {
    it(`printing shows the ${name} with all that belongs to it, and nothing else`, async () => {
      const page = await open(fresh(`print_${name}`, link));
      await page.emulateMedia({ media: 'print' });
      for (const text of texts) expect(await page.getByText(text, { exact: true }).isVisible(), text).to.equal(true);
      expect(await page.getByRole('button').count()).to.equal(0);
      // A receipt names the telephone, too.
      expect(await page.locator('a:visible:not([href^="tel:"])').count()).to.equal(0);
      await screenshot(page, `print-${name}`);
    });
  }

  it('printing a request for money shows what is asked, without the form', async () => {
    const page = await open(fresh('print_request'));
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText('$125.50', { exact: true }).isVisible()).to.equal(true);
    expect(await page.locator(':is(form, input, button):visible').count()).to.equal(0);
  });

  it('the sandbox form has no field for a card or account number', async () => {
    const page = await open(fresh('fields'));
    const types = await page.$$eval('input, textarea, select', (fields) => fields.map((field) => field.type));
    expect([...new Set(types)].sort()).to.deep.equal(['hidden', 'radio']);
  });

  const background = (page: Page, selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);

  it('a page is dark for patients who prefer dark, and white on paper', async () => {
    const page = await open(fresh('dark', { state: 'paid' }));
    expect(await background(page, 'body')).to.equal('rgb(242, 245, 247)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background(page, 'body')).to.equal('rgb(15, 22, 28)');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await background(page, '.card')).to.equal('rgb(255, 255, 255)');
    const ink = await page.evaluate<string>('getComputedStyle(document.body).color');
    expect(ink).to.equal('rgb(23, 36, 45)');
  });

  /** Opens a page in progress, with the browser's clock stopped and a mark that a reload removes. */
  async function inProgress(name: string): Promise<{ page: Page; isReloaded: () => Promise<boolean> }> {
    const page = await visits.open(started.baseUrl, null);
    await page.clock.install();
    await page.goto(fresh(name, { state: 'in_progress' }));
    await page.evaluate('window.seen = true');
    return { page, isReloaded: async () => (await page.evaluate('window.seen')) !== true };
  }

  /** Lets time pass in the page until something happens. The page sets its next timer once it has read an answer. */
  async function passUntil(page: Page, event: Promise<unknown>): Promise<void> {
    let hasHappened = false;
    const happened = event.then(() => {
      hasHappened = true;
    });
    while (!hasHappened) await Promise.race([happened, page.clock.runFor(3_000)]);
  }

  it('a page in progress reloads when its state changes, and not before', async () => {
    const { page, isReloaded } = await inProgress('news');
    const looked = () => page.waitForResponse((response) => response.request().resourceType() === 'fetch');
    for (const _look of [1, 2]) {
      const answer = looked();
      await passUntil(page, answer);
      expect((await answer).status()).to.equal(200);
    }
    expect(await isReloaded()).to.equal(false);
    fresh('news', { state: 'paid' });
    await passUntil(page, heading(page, 'This has already been paid'));
    expect(started.pages.asked, 'looking changes nothing').to.deep.equal([]);
  });

  it('a page in progress checks its state again after a failed check', async () => {
    const { page, isReloaded } = await inProgress('outage');
    await visits.last.context.route('**/pay/**', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await passUntil(page, failed);
    expect(await isReloaded()).to.equal(false);
    await visits.last.context.unroute('**/pay/**');
    fresh('outage');
    await passUntil(page, page.getByRole('button', { name: 'Pay $125.50' }).waitFor());
    // The browser reports the failed request.
    visits.last.faults.splice(0);
  });
});

/** Touch targets that are too small. The target of a radio button is its whole box. */
function smallTargets(page: Page): Promise<string[]> {
  return page.$$eval(
    'a, button, .choice',
    (targets, least) =>
      targets
        .filter((target) => target.checkVisibility() && target.closest('.alert') === null)
        .filter((target) => {
          const { width, height } = target.getBoundingClientRect();
          return width < least || height < least;
        })
        .map((target) => target.outerHTML),
    TARGET_PX,
  );
}

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}
