import { expect } from 'chai';
import type { FaultPlan } from '../../proofs/chaos/faults.ts';
import { runChaos } from '../../proofs/chaos/run.ts';

/** One of everything, and a worker killed again and again: what `make chaos` does for minutes, in seconds. */
const PLAN: FaultPlan[] = [
  { atMs: 500, fault: 'freezeWorker' },
  { atMs: 1_000, fault: 'killWorker' },
  { atMs: 2_000, fault: 'endBackends' },
  { atMs: 2_500, fault: 'killWorker' },
  { atMs: 3_500, fault: 'crashDatabase' },
  { atMs: 4_500, fault: 'killServe' },
  { atMs: 5_000, fault: 'killWorker' },
];

describe('processes and a database that die under load', () => {
  it('processes and a database that die under load lose no event, never send two at the same time, and recover by themselves', async function () {
    this.timeout(180_000);
    const report = await runChaos({
      seed: 1,
      seconds: 6,
      linksPerSecond: 8,
      refundsPerSecond: 2,
      workers: 2,
      serves: 1,
      durable: false,
      plan: PLAN,
      say: () => undefined,
    });
    expect(report.violations).to.deep.equal([]);
    expect(report.lost).to.equal(0);
    expect(report.faults).to.deep.equal({
      killWorker: 3,
      killServe: 1,
      crashDatabase: 1,
      freezeWorker: 1,
      endBackends: 1,
    });
    expect(report.statuses.delivered, 'there was something to lose').to.be.greaterThan(200);
    expect(report.refunds.refunds, 'there were refunds to lose').to.be.greaterThan(5);
    expect(report.interrupted, 'the deaths were noticed').to.be.greaterThan(0);
  });
});
