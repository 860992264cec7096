import { expect } from 'chai';
import { linkPage, STATES, tokenOf } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

describe('hosted pages', () => {
  const started = usePages({ PUBLIC_URL: 'https://pay.example.com/base/' });

  it('a GET shows the page of every state and changes nothing', async () => {
    for (const state of STATES) {
      const path = started.pages.put(linkPage({ state }));
      const response = await started.get(path);
      expect(response.status, state).to.equal(200);
      expect(await response.text(), state)
        .to.include('Elm Street Dental')
        .and.include('$125.50');
    }
    expect(started.pages.asked).to.deep.equal([]);
  });

  it('a HEAD is answered like a GET, without the body', async () => {
    const path = started.pages.put(linkPage());
    const [head, whole] = [await started.get(path, { method: 'HEAD' }), await started.get(path)];
    expect(head.status).to.equal(200);
    expect(await head.text()).to.equal('');
    const text = await whole.text();
    expect(head.headers.get('content-length')).to.equal(`${Buffer.byteLength(text)}`);
  });

  it('an unknown or malformed token is answered with a page of status 404', async () => {
    for (const path of [tokenOf('nobody'), '', 'x', '%zz', '../x', `${'a'.repeat(500)}`, `${tokenOf('a')}/nothing`]) {
      const response = await started.get(`/pay/${path}`);
      if (path === '../x') continue;
      expect(response.status, path).to.equal(404);
      expect(response.headers.get('content-type'), path).to.equal('text/html; charset=utf-8');
      expect(await response.text(), path).to.include('No money has been taken');
    }
  });

  it('a page has the language of lang, else of the browser, and leads to itself in the other one', async () => {
    const path = started.pages.put(linkPage());
    const spanish = { headers: { 'accept-language': 'es-MX,es;q=0.9' } };
    expect(await (await started.get(path, spanish)).text()).to.include('<html lang="es">');
    expect(await (await started.get(`${path}?lang=en`, spanish)).text()).to.include('<html lang="en">');
    const english = await started.text(`${path}?lang=en&lang=es`);
    expect(english).to.include('<html lang="en">').and.include(`<a href="/base${path}?lang=es" lang="es"`);
  });

  for (const [lang, words] of [
    ['en', { back: 'the payment back', owed: 'is owed again', way: 'is being given back', done: 'was given back' }],
    [
      'es',
      { back: 'revirtió el pago', owed: 'pendiente de nuevo', way: 'Se están devolviendo', done: 'Se devolvieron' },
    ],
  ] as const) {
    it(`a page says who gave money back, and whether it is complete (${lang})`, async () => {
      const text = async (
        state: 'refunded' | 'bank_reversed',
        cents: { refundedCents: number; refundingCents: number },
      ) => {
        const { payment } = linkPage({ state });
        if (payment === null) throw new Error('paid');
        const path = started.pages.put(linkPage({ state, payment: { ...payment, ...cents } }));
        return started.text(`${path}?lang=${lang}`);
      };
      const reversed = await text('bank_reversed', { refundedCents: 0, refundingCents: 0 });
      expect(reversed).to.include(words.back).and.include(words.owed).and.not.include(words.done);
      const underWay = await text('refunded', { refundedCents: 0, refundingCents: 12_550 });
      expect(underWay).to.include(words.way).and.not.include(words.done);
      expect(await text('refunded', { refundedCents: 12_550, refundingCents: 0 })).to.include(words.done);
    });
  }

  it('an administrator who returns from onboarding sees what to do next', async () => {
    for (const [lang, words] of [
      ['en', 'may close this page'],
      ['es', 'puede cerrar esta página'],
    ] as const) {
      const response = await started.get(`/onboarded?lang=${lang}`);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(response.headers.get('content-security-policy')).to.be.a('string');
      expect(await response.text())
        .to.include(words)
        .and.not.match(/the practice that sent|consultorio que le envió/);
    }
    expect((await started.get('/onboarded', { method: 'POST' })).status).to.equal(405);
  });

  it('every state shows the telephone at the top and in the help, if there is one', async () => {
    const numbers = /<a [^>]*href="tel:\+12025550143"[^>]*>([^<]*)<\/a>/g;
    for (const state of STATES) {
      const text = await started.text(`${started.pages.put(linkPage({ state }))}?lang=es`);
      const [top, help] = [...text.matchAll(numbers)].map(([, words]) => words);
      expect([top, help], state).to.deep.equal(['(202) 555-0143', 'Llame al (202) 555-0143']);
      expect(await started.text(started.pages.put(linkPage({ state, phone: null }))), state).to.not.include('tel:');
    }
  });

  it('a live link without methods offers no form', async () => {
    const path = started.pages.put(linkPage({ methods: [] }));
    expect(await started.text(path))
      .to.include('cannot take payments online')
      .and.not.include('<form');
  });

  it('a test link never shows Stripe’s form', async () => {
    const stripe = { collects: 'script', publishableKey: 'pk_live_1', accountId: 'acct_1' } as const;
    const text = await started.text(started.pages.put(linkPage({ test: true, client: stripe })));
    expect(text).to.include('value="processing_then_paid"').and.not.include('pk_live_1');
  });

  it('a page loads its files below the path of PUBLIC_URL, under names that contain their hash', async () => {
    const text = await started.text(started.pages.put(linkPage()));
    const parts = [...text.matchAll(/(?:src|href)="(\/base\/pay-assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).to.have.length(3);
    for (const path of parts) {
      const response = await started.get(path.replace('/base', ''));
      expect(response.status).to.equal(200);
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      await response.arrayBuffer();
    }
    expect(text).to.include('action="/base/pay/');
  });

  it('texts of practices and patients are escaped', async () => {
    const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>\' <%= 1 %> &amp;';
    const location = { name: nasty, city: nasty, state: 'IL', timeZone: 'America/Chicago' };
    for (const state of STATES) {
      const path = started.pages.put(
        linkPage({ state, description: nasty, practice: { ...linkPage().practice, name: nasty }, location }),
      );
      const text = await started.text(path);
      expect(text, state).to.not.include('<img').and.not.include('<script>');
      expect(text, state).to.include('&lt;script&gt;alert(1)').and.include('&lt;%= 1 %&gt;').and.include('&amp;amp;');
      // A mark that reverses the writing direction ends with its element.
      expect(text, state).to.include('<bdi>&quot;&gt;&lt;script');
    }
  });

  it('a page has no inline script or style and no third party, and only a page in progress loads itself again', async () => {
    for (const state of STATES) {
      const text = await started.text(started.pages.put(linkPage({ state })));
      const [, seconds] = /<noscript><meta http-equiv="refresh" content="(\d+)"/.exec(text) ?? [];
      expect(seconds, state).to.equal(state === 'in_progress' ? '20' : undefined);
      expect(text, state).to.not.match(/<style|style=|\son\w+=|javascript:|https?:\/\//);
    }
  });
});
