import { expect } from 'chai';
import { fell, figure, type Measured } from '../../proofs/bench/figure.ts';
import { PART_OF_CLAIM } from '../../proofs/bench/measured-load.ts';
import { type Report, tableOf } from '../../proofs/bench/report.ts';
import { RECORD } from '../../src/webhooks/delivery/record-success.ts';
import { CLAIM } from '../../src/webhooks/delivery/start.ts';

const rate = (repetitions: number[], floor: number[], more: Partial<Measured> = {}) =>
  figure('create', {
    name: 'requests',
    unit: 'requests/s',
    repetitions,
    floor: { what: 'the floor: bare', repetitions: floor },
    ...more,
  });

const time = (repetitions: number[]) =>
  figure('latency', { name: 'p50', unit: 'ms', repetitions, target: { of: 'value', limit: 25 } });

describe('figures of the benchmark', () => {
  it('claims are counted by a text that only the statement of a claim has', () => {
    for (const text of [CLAIM.one, CLAIM.more]) expect(text).to.include(PART_OF_CLAIM);
    for (const text of [RECORD.one, RECORD.more]) expect(text).not.to.include(PART_OF_CLAIM);
  });

  it('a figure shows its target, and whether it was met', () => {
    const target = { of: 'ratio', limit: 0.95 } as const;
    const figures = [rate([50], [100]), rate([99], [100], { target }), rate([50], [100], { target })];
    expect(figures.map(({ meetsTarget }) => meetsTarget)).to.deep.equal([null, true, false]);
    const [, ...rows] = tableOf(figures).split('\n');
    expect(rows[1]).to.match(/≥ 0\.95 × {2}yes$/);
    expect(rows[2]).to.match(/≥ 0\.95 × {2}NO$/);
  });

  it('a figure fell when the best is worse than the worst was, by ratio where there is one', () => {
    expect(fell(rate([50, 55], [100, 100]), rate([60, 70], [100, 100]))).to.equal(true);
    expect(fell(rate([50, 61], [100, 100]), rate([60, 70], [100, 100]))).to.equal(false);
    // Half as many on a machine half as fast.
    expect(fell(rate([30, 35], [50, 50]), rate([60, 70], [100, 100]))).to.equal(false);
    expect(fell(time([30, 40]), time([20, 25]))).to.equal(true);
    expect(fell(time([22, 40]), time([20, 25]))).to.equal(false);
  });

  it('figures of the benchmark are shown beside a kept report', () => {
    const before = { version: 1, figures: [rate([60, 70], [100, 100])] } as unknown as Report;
    const [head = '', fallen = '', fresh = ''] = tableOf([rate([30, 35], [100, 100]), time([20])], before).split('\n');
    expect(head).to.match(/since$/);
    expect(fallen).to.match(/-50 % {2}FELL$/);
    expect(fresh).to.match(/yes +new$/);
  });
});
