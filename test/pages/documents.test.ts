import { expect } from 'chai';
import type { LinkPage } from '../../src/payment-links/checkout/port.ts';
import { AUTHORISATION, linkPage } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

describe('payments on hosted pages', () => {
  const started = usePages();

  /** The text of a page and its print button. */
  async function shown(link: Partial<LinkPage>, query = ''): Promise<string> {
    const path = started.pages.put(linkPage(link));
    const html = await (await started.get(`${path}?${query}`)).text();
    return html.replace(/[\s\S]*<main[^>]*>/, '').replaceAll(/\s+/g, ' ');
  }

  const heading = (html: string) => /<h1><bdi>(.*?)<\/bdi><\/h1>/.exec(html)?.[1];
  const print = (html: string) => /<button[^>]*data-print[^>]*>(.*?)<\/button>/.exec(html)?.[1];
  const rows = (html: string) =>
    new Map([...html.matchAll(/<dt>(.*?)<\/dt><dd[^>]*><bdi>(.*?)<\/bdi>/g)].map(([, label, value]) => [label, value]));

  function paid(refunds: { refundedCents?: number; refundingCents?: number }): Partial<LinkPage> {
    const { payment } = linkPage({ state: 'paid' });
    return payment === null ? {} : { state: 'paid', payment: { ...payment, ...refunds } };
  }

  describe('names of documents', () => {
    for (const [state, title] of [
      ['paid', 'Receipt'],
      ['refunded', 'Receipt'],
      ['bank_pending', 'Bank debit on its way'],
      ['bank_failed', 'Returned bank debit'],
      ['bank_reversed', 'Bank debit taken back'],
    ] as const) {
      it(`a payment that is ${state} has its own document`, async () => {
        const html = await shown({ state }, 'lang=en');
        expect(print(html)).to.equal('Print this page');
        expect(print(await shown({ state }, 'lang=es'))).to.equal('Imprimir esta página');
        expect(html).to.include(`<h2 id="receipt-heading">${title}</h2>`);
        const isReceipt = title === 'Receipt';
        expect(/receipt/i.test(html.replaceAll(/class="receipt"|receipt-heading/g, ''))).to.equal(isReceipt);
        expect(rows(html).has('Receipt number')).to.equal(isReceipt);
        expect(rows(html).has('Payment number')).to.equal(!isReceipt);
      });
    }

    it('a page without a payment has no document', async () => {
      for (const state of ['payable', 'in_progress', 'expired', 'cancelled', 'requires_action'] as const) {
        expect(await shown({ state }), state).to.not.match(/data-print|receipt/i);
      }
    });
  });

  it('a document shows the grouped payment number, and the statement name if it is known', async () => {
    const card = rows(await shown({ state: 'paid' }));
    expect([card.get('Receipt number'), card.get('On your statement')]).to.deep.equal([
      '482-730-596',
      'ELM STREET DENTAL',
    ]);
    expect(rows(await shown({ state: 'bank_pending' })).has('On your statement')).to.equal(false);
    const { payment } = linkPage({ state: 'paid' });
    const old = rows(await shown({ state: 'paid', payment: payment && { ...payment, paymentNumber: null } }));
    expect(old.has('Receipt number')).to.equal(false);
  });

  for (const test of [false, true]) {
    it(`a bank debit’s page shows the authorisation in its original language (${test ? 'test' : 'live'} link)`, async () => {
      for (const state of ['bank_pending', 'bank_failed', 'bank_reversed'] as const) {
        const html = await shown({ state, test }, 'lang=es');
        expect(html, state).to.include(`<p lang="en"><bdi>${AUTHORISATION}</bdi></p>`);
        expect(html).to.include('Usted dio esta autorización el 14 de junio de 2030 a las 10:30');
      }
      expect(await shown({ state: 'paid', test })).to.not.include('class="authorisation"');
    });
  }

  for (const [lang, money, none, test] of [
    [
      'en',
      /money has been taken|(?<!no )money was taken|You paid/,
      'no money was taken or given back',
      'was simulated',
    ],
    ['es', /se cobró|se ha cobrado(?! ni)|Usted pagó/, 'no se ha cobrado ni devuelto nada', 'se simuló'],
  ] as const) {
    it(`a test link never says that money was taken (${lang})`, async () => {
      for (const [link, query] of [
        [{ state: 'paid' }, ''],
        [{ state: 'paid' }, '&result=paid'],
        [paid({ refundedCents: 4_000 }), ''],
        [paid({ refundingCents: 4_000 }), ''],
        [{ state: 'refunded' }, ''],
        [{ ...paid({ refundingCents: 12_550 }), state: 'refunded' }, ''],
        [{ state: 'bank_pending' }, ''],
        [{ state: 'bank_failed' }, ''],
        [{ state: 'bank_reversed' }, ''],
      ] as const) {
        const html = await shown({ ...link, test: true }, `lang=${lang}${query}`);
        expect(html, JSON.stringify(link)).to.include(none).and.include(test).and.not.match(money);
        expect(html).to.not.match(/receipt<|recibo/i);
      }
    });
  }

  it('heading and first sentence name a partial refund and the part that is on its way', async () => {
    const part = await shown(paid({ refundedCents: 4_000 }), 'lang=en');
    expect(heading(part)).to.equal('Part of your payment was refunded');
    expect(part).to.include('You paid $125.50 to Elm Street Dental on June 14, 2030, and $40.00 of it was given back');
    const onItsWay = await shown(paid({ refundingCents: 4_000 }), 'lang=en&result=paid');
    expect(heading(onItsWay)).to.equal('Part of your payment is being refunded');
    expect(onItsWay).to.include('and $40.00 of it is on its way back.');
    const both = await shown(paid({ refundedCents: 4_000, refundingCents: 1_000 }), 'lang=en');
    expect(both).to.include('$40.00 of it was given back and a further $10.00 is on its way back.');
    const all = paid({ refundedCents: 4_000, refundingCents: 8_550 });
    expect(await shown({ ...all, state: 'refunded' }, 'lang=en')).to.include(
      '$40.00 was given back already, and a further $85.50 is being given back',
    );
    const spanish = await shown(paid({ refundedCents: 4_000 }), 'lang=es');
    expect(heading(spanish)).to.equal('Una parte de su pago fue reembolsada');
    expect(spanish).to.include('de ese monto se devolvieron $40.00');
  });

  it('the end of the link does not look like a due date', async () => {
    const english = await shown({}, 'lang=en');
    expect(english).to.include('Elm Street Dental asks you to pay $125.50.</bdi>');
    expect(english).to.match(/This page can be used until July 15, 2030 at 7:00\sAM CDT\./);
    const spanish = await shown({}, 'lang=es');
    expect(spanish).to.include('Elm Street Dental le solicita un pago de $125.50.</bdi>');
    expect(spanish).to.match(/Esta página se puede usar hasta el 15 de julio de 2030/);
    expect(await shown({ state: 'paid' })).to.not.include('can be used until');
  });

  it('a throttled page shows when it takes payments again, rounded up to the minute', async () => {
    // The pause ends at 7:14:30.
    expect(await shown({ state: 'throttled' }, 'lang=en')).to.match(/until June 15, 2030 at 7:15\sAM CDT\./);
    expect(await shown({ state: 'throttled' }, 'lang=es')).to.match(/hasta el 15 de junio de 2030 a las 7:15/);
  });

  for (const [state, english, spanish] of [
    ['paid', 'You have not paid twice', 'Usted no ha pagado dos veces'],
    ['refunded', 'You have not paid twice', 'Usted no ha pagado dos veces'],
    ['bank_pending', 'A bank payment was already submitted', 'Ya se había enviado un pago bancario'],
    ['in_progress', 'A payment is already under way', 'Ya hay un pago en curso'],
    ['requires_action', 'A payment is already under way', 'Ya hay un pago en curso'],
    ['expired', 'The payment was not made', 'El pago no se hizo'],
    ['cancelled', 'The payment was not made', 'El pago no se hizo'],
    ['unavailable', 'The payment was not made', 'El pago no se hizo'],
  ] as const) {
    it(`a second submission shows what came first: ${state}`, async () => {
      const html = await shown({ state }, 'lang=en&result=not_payable');
      expect(html).to.include(`<h2 id="alert-heading">${english}</h2>`).and.include('has taken no money');
      const other = await shown({ state }, 'lang=es&result=not_payable');
      expect(other)
        .to.include(`<h2 id="alert-heading">${spanish}</h2>`)
        .and.include('Por su último intento no se ha cobrado nada');
    });
  }

  it('only Stripe’s form names the processor and the accepted cards', async () => {
    const client = { collects: 'script', publishableKey: 'pk_live_1', accountId: 'acct_1' } as const;
    const html = await shown({ client }, 'lang=en');
    expect(html).to.include('Payments by Stripe');
    for (const card of ['Visa', 'Mastercard', 'American Express', 'Discover']) expect(html).to.include(card);
    expect(await shown({ client }, 'lang=es')).to.include('Pagos procesados por Stripe');
    expect(await shown({})).to.not.include('Stripe');
  });
});
