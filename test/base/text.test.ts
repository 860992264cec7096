import { expect } from 'chai';
import { checkName, findUnfit, isBlank, parseName, trimBlanks } from '../../src/platform/base/text.ts';

describe('names that people type', () => {
  it('a name loses the blanks around it, those that are invisible, too, and keeps what is within', () => {
    for (const blank of [' ', '\t', '\u00a0', '\u2003', '\u200b', '\u202f', '\u2060', '\u3000', '\u3164', '\ufeff']) {
      expect(trimBlanks(`${blank}${blank}Ada${blank}B${blank}`), escape(blank)).to.equal(`Ada${blank}B`);
    }
  });

  it('many blanks within a text cost no more than other characters', () => {
    const text = `A${' '.repeat(200_000)}B`;
    expect(trimBlanks(text) === text).to.equal(true);
  }).timeout(10_000);

  it('a name of blanks and invisible characters alone is refused as blank', () => {
    for (const text of [
      '',
      ' ',
      '\u3000',
      '\u200b',
      '\u200d\u200c',
      '\u00ad',
      '\u034f',
      '\u2800',
      '\ufe0f',
      '\u{e0001}',
    ]) {
      expect(isBlank(text), escape(text)).to.equal(true);
      expect(checkName(text, 100), escape(text)).to.deep.equal({ refusal: 'must not be blank' });
    }
  });

  it('each refusal says what is wrong', () => {
    for (const [text, refusal] of [
      ['x'.repeat(101), 'must have at most 100 characters; it has 101'],
      ['A\u0007', 'must not contain the control character U+0007'],
      ['\u200fA', 'must not contain the direction mark U+200F'],
      ['A\ud800', 'must not contain the unpaired surrogate U+D800'],
    ] as const) {
      expect(checkName(text, 100)).to.deep.equal({ refusal });
      expect(parseName(text, 100)).to.equal(null);
    }
    expect(parseName('😀'.repeat(100), 100)).to.equal('😀'.repeat(100));
  });

  it('joiners are part of names, at their end, too', () => {
    for (const name of ['علی\u200cرضا', 'രാജന\u0d4d\u200d', 'ක්\u200dෂ']) {
      expect([findUnfit(name), parseName(name, 100)]).to.deep.equal([null, name]);
    }
  });
});
