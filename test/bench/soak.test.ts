import { expect } from 'chai';
import { bucketsOf, type Figures, flatness, percentileOf } from '../../scripts/soak/figures.ts';

const calm: Figures = {
  ...{ minute: 1, links: 600, createP99Ms: 25, apiMb: 150, workerMb: 160 },
  ...{ waiting: 40, databaseMb: 90, deadRows: 20_000, vacuums: 3 },
};

const hour = (last: Partial<Figures>) =>
  Array.from({ length: 60 }, (_, index) => ({ ...calm, ...(index >= 45 ? last : {}), minute: index + 1 }));

const bucket = (end: string, status: number, count: number) =>
  `paylinks_request_duration_seconds_bucket{le="${end}",operation="createPaymentLink",method="POST",status="${status}"} ${count}`;

describe('figures of make soak', () => {
  it('figures of an hour that stays as it is are flat, whatever their size', () => {
    expect(flatness(hour({}))).to.deep.equal([]);
    expect(flatness(hour({ databaseMb: 9_000, links: 36_000 }))).to.deep.equal([]);
  });

  it('figures that grow are named with both values', () => {
    expect(flatness(hour({ apiMb: 250 }))).to.deep.equal(['apiMb grew from 150 to 250']);
    expect(flatness(hour({ createP99Ms: 500, waiting: 5_000 }))).to.deep.equal([
      'createP99Ms grew from 25 to 500',
      'waiting grew from 40 to 5000',
    ]);
  });

  it('figures of less than four minutes are not compared', () => {
    expect(flatness(hour({ apiMb: 999 }).slice(-3))).to.deep.equal([]);
  });

  it('the percentile of a minute is the end of the class that reaches it, over all statuses', () => {
    const before = bucketsOf([bucket('0.005', 201, 10), bucket('0.01', 201, 10), bucket('+Inf', 201, 10)].join('\n'));
    const after = bucketsOf(
      [
        ...[bucket('0.005', 201, 60), bucket('0.01', 201, 108), bucket('+Inf', 201, 109)],
        ...[bucket('0.005', 503, 0), bucket('0.01', 503, 0), bucket('+Inf', 503, 1)],
      ].join('\n'),
    );
    expect(percentileOf(before, after, 50)).to.equal(0.005);
    expect(percentileOf(before, after, 98)).to.equal(0.01);
    expect(percentileOf(before, after, 99)).to.equal(Number.POSITIVE_INFINITY);
    expect(percentileOf(after, after, 99)).to.equal(0);
  });
});
