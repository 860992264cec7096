import { expect } from 'chai';
import { runSeed, textOf } from './history.ts';

const from = Number(process.env.SEED ?? Date.now() % 1_000_000);
const SEEDS = Number(process.env.SEEDS ?? 300);

/* `make simulate` runs many more histories, and SEED=<seed> repeats one. A failure prints the shortest history that shows it. */
describe(`any history of links in memory (SEED=${from})`, () => {
  it('a link is charged once, gives back no more than was paid, has each event once, and is never stuck', async () => {
    for (let seed = from; seed < from + SEEDS; seed++) {
      const { failure } = await runSeed(seed);
      expect(failure && textOf(failure)).to.equal(null);
    }
  });

  it('a history is the same each time, so a seed repeats what went wrong', async () => {
    const [first, second] = [await runSeed(from), await runSeed(from)];
    expect(first).to.deep.equal(second);
  });
});
