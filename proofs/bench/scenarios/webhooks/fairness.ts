import { type Bench, measureBoth, scaled } from '../../scenario.ts';
import { seedDeliveries } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';
import { cancelPaced, linksFor, PER_SECOND, pacedStage } from './paced.ts';

const WAITING = 5_000;
const FLOOR = 'the same without the slow endpoint';

/** A slow receiver beside others. */
export async function fairness(bench: Bench) {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const { admin } = paced.scene;
  const p95 = async () => {
    const links = await linksFor(paced, effort.windowMs);
    return percentile((await cancelPaced(paced, links)).latencies, 95);
  };
  const besideSlow = async () => {
    await seedDeliveries(admin, paced.slow, scaled(effort, WAITING), true);
    const measured = await p95();
    // The attempt under way goes on, and finds nothing after it.
    await admin.query(
      `update webhook_deliveries set status = 'skipped', due_at = null where endpoint_id = $1 and due_at is not null`,
      [paced.slow[0]?.id],
    );
    return measured;
  };
  const { service, floor } = await measureBoth(bench, `${PER_SECOND} cancels/s`, besideSlow, p95);
  const waiting = WAITING.toLocaleString('en-US');
  return [
    {
      name: `${PER_SECOND} cancels/s: p95 of the others' receipts beside ${waiting} waiting for a slow one`,
      ...{ unit: 'ms', repetitions: service, floor: { what: FLOOR, repetitions: floor } },
      target: { of: 'ratio', limit: 1.2 } as const,
    },
  ];
}
