import { expect } from 'chai';
import { hasCoresFor, loadProcessesOn, processesOn } from '../../scripts/bench/scenarios/machine/scale.ts';

describe('numbers of processes that the benchmark compares', () => {
  it('one, two and four processes run on every machine, and more where each has two cores', () => {
    const numbers = [2, 8, 15, 16, 64].map((cores) => processesOn(cores, 'serve'));
    expect(numbers).to.deep.equal([
      [1, 2, 4],
      [1, 2, 4],
      [1, 2, 4],
      [1, 2, 4, 8],
      [1, 2, 4, 8],
    ]);
  });

  it('workers are at most as many as the connections of the benchmark’s PostgreSQL allow', () => {
    expect(processesOn(64, 'worker')).to.deep.equal([1, 2, 4]);
  });

  it('a number of processes is judged where each has two cores, so on two cores none beside one process', () => {
    const judged = (cores: number) => processesOn(cores, 'serve').filter((number) => hasCoresFor(number, cores));
    expect([2, 4, 8, 16].map(judged)).to.deep.equal([[1], [1, 2], [1, 2, 4], [1, 2, 4, 8]]);
  });

  it('a machine with more cores has more processes of load', () => {
    expect([1, 2, 8, 16, 40].map(loadProcessesOn)).to.deep.equal([1, 1, 1, 2, 5]);
  });
});
