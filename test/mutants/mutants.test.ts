import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chooseMutants, MUTANTS, readMutants } from '../../scripts/mutants/list.ts';
import { checkout, occurrences } from '../../scripts/mutants/mutation.ts';

// `make mutants` and `make chaos MUTANTS=1` run them, which takes minutes. Here they must only still fit the code.
describe('mutants of `make mutants` and `make chaos`', () => {
  it('mutants each replace a text that stands in its file exactly once', () => {
    const mismatches = MUTANTS.filter((mutant) => occurrences(mutant) !== 1);
    expect(mismatches.map(({ name, file }) => `${file}: ${name}`)).to.deep.equal([]);
  });

  it('mutants of chaos runs each replace a text that their file has', () => {
    const mismatches = readMutants('scripts/chaos/mutants.txt').filter((mutant) => occurrences(mutant) === 0);
    expect(mismatches.map(({ name }) => name)).to.deep.equal([]);
  });

  it('mutants each name a test file that exists, and a title that stands in it', () => {
    const lost = MUTANTS.filter(({ test, title = '' }) => {
      const path = join(checkout, test);
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
    });
    expect(lost.map(({ test, title }) => `${test}: ${title}`)).to.deep.equal([]);
  });

  it('mutants each change something, under a name of their own', () => {
    expect(MUTANTS.filter(({ text, instead }) => text === instead)).to.deep.equal([]);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).to.equal(MUTANTS.length);
  });

  it('mutants are chosen by words in their name or file, and a word that fits none is refused', () => {
    const [fee, page, link] = [
      { name: 'the Fee is doubled', file: 'src/base/money.ts' },
      { name: 'a page lacks its nonce', file: 'src/pages/routes.ts' },
      { name: 'a link never expires', file: 'src/payment-links/expire-links.ts' },
    ];
    const mutants = [fee, page, link];
    expect(chooseMutants(mutants)).to.deep.equal(mutants);
    expect(chooseMutants(mutants, 'fee,src/pages')).to.deep.equal([fee, page]);
    expect(() => chooseMutants(mutants, 'typo')).to.throw('ONLY=typo');
  });
});
