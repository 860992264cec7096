import fc from 'fast-check';
import { checkSettled } from './invariants.ts';
import { World } from './world.ts';

/*
 * Random histories of one link: patients, staff, expiry, sweeps, and the processor's answers and messages in any order and number.
 * Writes are stale, processes stop, and answers are lost. `make simulate` runs many more; FC_SEED repeats a run. A failure prints the
 * shortest history that shows it.
 */

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 400);

const number = fc.nat(999);
const history = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 120, size: 'max' });

describe(`any history of a link (FC_SEED=${seed})`, function () {
  this.timeout(0);

  it('a link is charged once, gives back no more than was paid, has each event once, and is never stuck', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const world = new World();
        for (const step of steps) world.step(step);
        world.settle();
        checkSettled(world);
      }),
      { seed, numRuns: RUNS, endOnFailure: false },
    );
  });
});
