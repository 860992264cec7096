import { expect } from 'chai';
import { parsePhone } from '../../src/platform/base/phone.ts';

describe('telephone numbers', () => {
  const NUMBER = '+12025550143';

  it('a number is read with invisible characters and blanks around, and with its usual separators', () => {
    const invisible = [
      '\u061c',
      '\u200b',
      '\u200e',
      '\u200f',
      '\u202a',
      '\u202b',
      '\u202c',
      '\u202d',
      '\u202e',
      '\u2060',
      '\u2066',
      '\ufeff',
    ];
    for (const mark of [...invisible, ' ', '\t', '\n', '\u00a0', '\u3000']) {
      for (const written of ['+12025550143', '+1 (202) 555-0143', '+1.202.555\u20110143']) {
        expect(parsePhone(`${mark}${written}${mark}`, null), escape(mark)).to.equal(NUMBER);
      }
    }
    for (const mark of invisible) expect(parsePhone(`+1${mark}202555${mark}0143`, null), escape(mark)).to.equal(NUMBER);
  });

  it('without + and country code, a number is one of the United States where that is usual, and none elsewhere', () => {
    for (const written of ['(202) 555-0143', '202.555.0143', '1 202 555 0143', '\u202a202-555-0143\u202c']) {
      expect([parsePhone(written, 'US'), parsePhone(written, null)], written).to.deep.equal([NUMBER, null]);
    }
    expect(parsePhone('+44 20 7946 0018', 'US')).to.equal('+442079460018');
  });

  it('a text that is no number, or more than one, is none', () => {
    for (const text of [
      '',
      ' ',
      '\u202a\u202c',
      '+',
      '4242',
      '202555014',
      '+12025550143 ext. 5',
      'call +12025550143',
      '+999123456789',
    ]) {
      expect([parsePhone(text, 'US'), parsePhone(text, null)], text).to.deep.equal([null, null]);
    }
  });
});
