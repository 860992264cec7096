import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chooseMutants, MUTANTS } from '../../proofs/chaos/mutants.ts';
import { checkout } from '../harness/processes.ts';

// `make chaos MUTANTS=1` runs them, which takes minutes. Here they must only still fit the code.
describe('mutants of chaos runs', () => {
  it('mutants of chaos runs each replace a text that their file has, by another one', () => {
    const fits = ({ file, text, instead }: (typeof MUTANTS)[number]) =>
      text !== instead && readFileSync(join(checkout, file), 'utf8').includes(text);
    expect(MUTANTS.filter((mutant) => !fits(mutant)).map(({ name }) => name)).to.deep.equal([]);
  });

  it('mutants of chaos runs are chosen by words in their name or file, and a word that fits none is refused', () => {
    expect(chooseMutants()).to.deep.equal(MUTANTS);
    expect(chooseMutants('payloads,jobs/').map(({ file }) => file)).to.have.members([
      'src/platform/jobs/heartbeat.ts',
      'src/webhooks/delivery/round.ts',
    ]);
    expect(() => chooseMutants('typo')).to.throw('ONLY=typo');
  });
});
