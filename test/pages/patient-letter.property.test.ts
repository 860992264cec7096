import { expect } from 'chai';
import fc from 'fast-check';
import { type Letter, writeLetter } from '../../src/patient-pages/patient-letter.ts';
import { formatAmount } from '../../src/patient-pages/texts/formats.ts';
import { TEXTS } from '../../src/patient-pages/texts/texts.ts';
import { LANGUAGES } from '../../src/web/language.ts';
import { overflow, violations } from './fixtures/accessibility.ts';
import { sharedBrowser, useVisits } from './fixtures/browser.ts';

/** A text of people, often with the signs of HTML. */
const typed = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('<b>&"\'', '</td><img src=//x>', 'Ñandú'));

const letters = fc.record({
  language: fc.constantFrom(...LANGUAGES),
  cents: fc.integer({ min: 1, max: 99_999_999 }),
  token: fc.stringMatching(/^[A-Za-z0-9]{8,43}$/),
  name: typed,
  words: typed,
  color: fc.option(fc.constantFrom('#7a1f5c', '#000000')),
  hasButton: fc.boolean(),
});

const UNESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Returns the text between tags of an HTML mail, as its reader sees it. */
function shownText(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/&(#?\w+);/g, (_, name: string) => UNESCAPED[name] ?? '?');
}

const hrefsOf = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);

describe('mails to patients', () => {
  const visits = useVisits();

  it('text and HTML of a mail name the same amount, address and words, whatever people typed', () => {
    fc.assert(
      fc.property(letters, ({ language, cents, token, name, words, color, hasButton }) => {
        const t = TEXTS[language];
        const amount = formatAmount(t, cents);
        const url = `https://pay.example.com/pay/${token}?lang=${language}`;
        const letter: Letter = {
          subject: 'Subject',
          sender: { name, locationLine: words, phone: null, color },
          heading: t.linkMail.asks(name),
          warning: null,
          rows: [
            { label: t.summary.amount, value: amount },
            { label: t.fields.description, value: words },
          ],
          button: hasButton ? { label: t.linkMail.button, url } : null,
          notes: [words],
        };
        const { text, html = '' } = writeLetter(letter, t);
        expect(text).to.include(`${t.summary.amount}: ${amount}`);
        expect(shownText(html)).to.include(` ${amount} `);
        expect(text.includes(`\n${url}\n`)).to.equal(hasButton);
        expect(hrefsOf(html)).to.deep.equal(hasButton ? [url] : []);
        expect(shownText(html).replaceAll(/\s+/g, '')).to.include(words.replaceAll(/\s+/g, ''));
        // Only our own elements are there, and none of them loads anything.
        const tags = [...html.matchAll(/<[^>]*>/g)].join('');
        expect(tags).to.not.match(/<(?:img|link|script|iframe|b)\b|\ssrc=|url\(|background=/i);
      }),
    );
  });

  it('axe finds nothing in a mail, in both languages and color schemes, and it fits a phone', async () => {
    await sharedBrowser();
    for (const language of LANGUAGES) {
      const t = TEXTS[language];
      const { html = '' } = writeLetter(
        {
          subject: t.linkMail.subject('Elm Street Dental'),
          sender: {
            name: 'Elm Street Dental',
            locationLine: 'Downtown (Springfield, IL)',
            phone: '+12025550143',
            color: null,
          },
          heading: t.linkMail.asks('Elm Street Dental'),
          warning: t.linkMail.test,
          rows: [
            { label: t.summary.amount, value: '$1,125.50' },
            { label: t.fields.description, value: 'Exam, cleaning\nand x-rays' },
          ],
          button: { label: t.linkMail.button, url: 'https://pay.example.com/pay/a' },
          notes: [t.linkMail.until('June 15, 2030'), t.linkMail.unexpected('Elm Street Dental, (202) 555-0143')],
        },
        t,
      );
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await visits.open('https://pay.example.com', null, { width: 320 });
        await page.emulateMedia({ colorScheme });
        await page.setContent(html);
        expect(await violations(page), `${language} ${colorScheme}`).to.deep.equal([]);
        expect(await overflow(page)).to.equal(0);
      }
    }
  });
});
