import { expect } from 'chai';
import fc from 'fast-check';
import { parseRetryAfter } from '../../src/webhooks/send/exchange.ts';

const nowMs = Date.UTC(1994, 10, 6, 8, 49, 30);

describe('Retry-After', () => {
  const cases: [string, number | null, string][] = [
    ['0', 0, 'an immediate retry'],
    ['120', 120, 'seconds'],
    ['  120 ', 120, 'blanks around'],
    ['99999999999999999999', 2_147_483_647, 'more than anybody lives to see'],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7, 'a date'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7, 'a date of RFC 850'],
    ['Sun Nov  6 08:49:37 1994', 7, 'a date of asctime, which is in GMT too'],
    ['Sun, 06 Nov 1994 08:49:29 GMT', 0, 'a date that has passed'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 2_147_483_647, 'the last date there is'],
    ['', null, 'nothing'],
    ['-1', null, 'the past in seconds'],
    ['+5', null, 'a sign'],
    ['1.5', null, 'a fraction'],
    ['1e3', null, 'an exponent'],
    ['0x10', null, 'hexadecimal'],
    ['soon', null, 'a word'],
    ['120, 120', null, 'two values'],
    ['1994-11-06T08:49:37Z', null, 'a date of ISO 8601'],
    ['Sun, 06 Nov 1994 08:49:37', null, 'a date without a zone'],
    ['Sun, 06 Nov 1994 08:49:37 +0100', null, 'a date in another zone'],
    ['Sun, 06 Foo 1994 08:49:37 GMT', null, 'a month that is none'],
    ['Sun, 06 Nov 1994 25:49:37 GMT', null, 'an hour that is none'],
  ];
  for (const [text, seconds, what] of cases) {
    it(`the parser of Retry-After reads ${what} as ${seconds}`, () => {
      expect(parseRetryAfter(text, nowMs)).to.equal(seconds);
    });
  }

  it('the parser of Retry-After ignores a missing and a doubled header', () => {
    expect(parseRetryAfter(undefined, nowMs)).to.equal(null);
    expect(parseRetryAfter(['1', '2'], nowMs)).to.equal(null);
  });

  it('the parser of Retry-After rounds a date up, so that no attempt comes early', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', nowMs + 1)).to.equal(7);
  });

  it('the parser of Retry-After takes any text at all without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const seconds = parseRetryAfter(text, nowMs);
        return seconds === null || (Number.isInteger(seconds) && seconds >= 0 && seconds <= 2_147_483_647);
      }),
    );
  });
});
