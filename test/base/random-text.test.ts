import { expect } from 'chai';
import { randomText } from '../../src/platform/base/random-text.ts';

describe('random texts', () => {
  it('a random text has letters and digits only, and each of them as often as any other', () => {
    const drawn = 620_000;
    const counts = new Map<string, number>();
    for (const character of randomText(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].toSorted().join('')).to.match(/^[0-9]{10}[A-Z]{26}[a-z]{26}$/);
    // Six standard deviations of a fair draw. The remainder of a byte by 62 would favor eight characters by 24 percent.
    const expected = drawn / counts.size;
    for (const [character, count] of counts)
      expect(Math.abs(count - expected), character).to.be.below(6 * Math.sqrt(expected));
  });

  it('a random text has the length that is asked for, and no text comes twice', () => {
    const texts = Array.from({ length: 1_000 }, () => randomText(22));
    expect(texts.every((text) => text.length === 22)).to.equal(true);
    expect(new Set(texts).size).to.equal(texts.length);
  });
});
