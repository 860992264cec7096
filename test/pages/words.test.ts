import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import Koa, { type Request } from 'koa';
import { formatAmount, formatDay, formatMethod, formatMoment } from '../../src/patient-pages/texts/formats.ts';
import { TEXTS } from '../../src/patient-pages/texts/texts.ts';
import { SANDBOX_METHODS } from '../../src/processors/sandbox-methods.ts';
import { chooseLanguage, LANGUAGES } from '../../src/web/language.ts';

describe('language of a page', () => {
  const cases: [named: string | null, accepted: string | undefined, expected: string][] = [
    [null, undefined, 'en'],
    [null, '', 'en'],
    [null, 'es', 'es'],
    [null, 'es-MX,es;q=0.9,en;q=0.8', 'es'],
    [null, 'en;q=0.2, es;q=0.7', 'es'],
    [null, 'de, fr;q=0.9', 'en'],
    [null, 'de, es;q=0.1', 'es'],
    [null, 'es;q=0, en;q=0.1', 'en'],
    [null, 'de, es;q=0', 'en'],
    [null, '*', 'en'],
    [null, ';;;q=,,', 'en'],
    [null, `${'x,'.repeat(1_000)}es`, 'es'],
    ['es', 'en', 'es'],
    ['EN', 'es', 'en'],
    ['es_US', undefined, 'es'],
    ['xx', 'es', 'es'],
    ['__proto__', undefined, 'en'],
  ];
  for (const [named, accepted, expected] of cases) {
    it(`the language is ${expected} for lang=${named} and Accept-Language: ${accepted?.slice(0, 30)}`, () => {
      expect(chooseLanguage(named, requestWith(accepted))).to.equal(expected);
    });
  }
});

describe('formats', () => {
  const { en, es } = TEXTS;
  const moment = new Date('2030-06-15T03:30:00Z');

  it('amounts have cents, up to the largest amount', () => {
    expect([1, 12_550, 99_999_999].map((cents) => formatAmount(en, cents))).to.deep.equal([
      '$0.01',
      '$125.50',
      '$999,999.99',
    ]);
    expect(formatAmount(es, 99_999_999)).to.equal('$999,999.99');
  });

  it('days and times are those of the location', () => {
    expect(formatDay(en, moment, 'America/Chicago')).to.equal('June 14, 2030');
    expect(formatDay(es, moment, 'America/Chicago')).to.equal('14 de junio de 2030');
    expect(plain(formatMoment(en, moment, 'America/Chicago'))).to.equal('June 14, 2030 at 10:30 PM CDT');
    expect(plain(formatMoment(es, moment, 'Pacific/Honolulu'))).to.match(/^14 de junio de 2030.*5:30 p\.\s?m\. HST$/);
  });

  it('a method is named by brand and last digits', () => {
    const card = { paymentMethodType: 'card', paymentMethodBrand: 'visa', paymentMethodLast4: '4242' };
    expect(formatMethod(en, card)).to.equal('Visa ending in 4242');
    expect(formatMethod(en, { ...card, paymentMethodBrand: 'newnet' })).to.equal('newnet ending in 4242');
    expect(
      formatMethod(es, { paymentMethodType: 'us_bank_account', paymentMethodBrand: null, paymentMethodLast4: '6789' }),
    ).to.equal('Cuenta bancaria de EE. UU. terminada en 6789');
    expect(formatMethod(en, { ...card, paymentMethodBrand: null, paymentMethodLast4: null })).to.equal('Card');
  });
});

describe('texts', () => {
  const facts = {
    practice: 'PRACTICE',
    whom: 'WHOM',
    amount: 'AMOUNT',
    date: 'DATE',
    refunded: 'REFUNDED',
    refunding: 'REFUNDING',
    alreadyRefunded: null,
    reversed: 'REVERSED',
    until: 'UNTIL',
  };

  for (const language of LANGUAGES) {
    const t = TEXTS[language];

    it(`the second sentence of every state says whether money was taken (${language})`, () => {
      for (const [state, words] of Object.entries(t.states)) {
        expect(words.second(facts), state).to.match(language === 'en' ? /\bmoney\b.*\btaken\b/i : /cobr(ado|ó|ará)/i);
        expect(words.first(facts).match(/[.!?](?=\s|$)/g), state).to.have.length(1);
      }
    });

    it(`titles name neither patient nor practice nor reason (${language})`, () => {
      for (const { title } of Object.values(t.states))
        expect(title)
          .to.be.a('string')
          .that.does.not.match(/[A-Z]{4}/);
    });

    it(`an authorisation names amount, day, once only, how to revoke it and whom to contact (${language})`, () => {
      const text = t.authorisation.text({ ...facts, reach: t.authorisation.byPhone('REACH', 'PHONE') });
      for (const value of ['PRACTICE', 'AMOUNT', 'DATE', 'WHOM', 'REACH', 'PHONE']) expect(text).to.include(value);
      expect(text).to.match(language === 'en' ? /once.*revoke/s : /una sola vez.*revocar/s);
      // The authorisation quotes the button.
      expect(text).to.include(t.form.pay('AMOUNT'));
    });
  }

  it('no sentence is the same in both languages', () => {
    const same = sentences(TEXTS.en).filter((text) => sentences(TEXTS.es).includes(text));
    expect(same).to.deep.equal([]);
  });
});

describe('test methods', () => {
  it('every test method of the page is one of the sandbox, of the same type', () => {
    for (const [type, methods] of Object.entries(TEXTS.en.testMethods)) {
      for (const token of Object.keys(methods)) expect(SANDBOX_METHODS[token], token).to.include({ type });
    }
  });

  it('the page offers no test method that causes a fault', () => {
    const offered = Object.values(TEXTS.en.testMethods).flatMap((methods) => Object.keys(methods));
    const faults = Object.entries(SANDBOX_METHODS).filter(([, { fault }]) => fault !== undefined);
    expect(faults.map(([token]) => token).filter((token) => offered.includes(token))).to.deep.equal([]);
  });
});

/** A request with that Accept-Language, or without one. */
function requestWith(accepted: string | undefined): Request {
  const message = new IncomingMessage(new Socket());
  if (accepted !== undefined) message.headers['accept-language'] = accepted;
  return new Koa().createContext(message, new ServerResponse(message)).request;
}

/** Replaces the narrow spaces that Intl inserts. */
function plain(text: string): string {
  return text.replaceAll(/\s/g, ' ');
}

function sentences(node: unknown): string[] {
  if (typeof node === 'string') return node.includes(' ') ? [node] : [];
  if (typeof node !== 'object' || node === null) return [];
  // Codes of processors are no words of a language, and the words for staff are English.
  return Object.entries(node).flatMap(([name, of]) => (['codes', 'staff'].includes(name) ? [] : sentences(of)));
}
