import { expect } from 'chai';
import fc from 'fast-check';
import { isTimestamp } from '../../src/contract/validators.ts';
import { readQuery } from '../../src/http/request/query.ts';

const SINCE = [{ name: 'since', isInteger: false, isTimestamp: true }];

const two = (value: number) => `${Math.abs(value)}`.padStart(2, '0');

describe('Timestamps in a query', () => {
  it('timestamps in a query mean the same instant, in all forms that SDKs write', () => {
    const instant = fc.date({
      min: new Date('1970-01-02T00:00:00Z'),
      max: new Date('9998-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    const zoneMinutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const separator = fc.constantFrom('T', 't', ' ', '+', '%20');
    const blank = fc.constantFrom('', '+', '%20');
    const plus = fc.constantFrom('+', '%2B', '%20');
    const colon = fc.constantFrom('', ':', '%3A');
    fc.assert(
      fc.property(instant, zoneMinutes, separator, blank, plus, colon, (at, zone, t, before, sign, between) => {
        const local = new Date(at.getTime() + zone * 60_000).toISOString().slice(0, -1).replace('T', t);
        const offset = `${zone < 0 ? '-' : sign}${two(Math.trunc(zone / 60))}${between}${two(zone % 60)}`;
        const { since } = readQuery(`since=${local}${before}${offset}`, SINCE);
        expect(isTimestamp(String(since)), String(since)).to.equal(true);
        expect(new Date(String(since)).getTime()).to.equal(at.getTime());
      }),
    );
  });

  it('texts in a query that are no timestamps stay unchanged', () => {
    for (const text of [
      'yesterday',
      '2026-11-20',
      '2026-11-20T15:04:05',
      '2026-11-20T15:04:05CET',
      '2026-11-20T15:04:05+1',
      '',
    ]) {
      const { since } = readQuery(`since=${encodeURIComponent(text)}`, SINCE);
      expect(since).to.equal(text);
      expect(isTimestamp(text), text).to.equal(false);
    }
  });
});
