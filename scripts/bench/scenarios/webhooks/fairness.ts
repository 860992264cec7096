import { figure } from '../../figure.ts';
import { type Bench, measureBoth, type Scenario, scaled } from '../../scenario.ts';
import { seedDeliveries } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';
import { cancelPaced, type PacedStage, PER_SECOND, pacedStage } from './paced.ts';

const WAITING = 5_000;
const FLOOR = 'the same without the slow endpoint';

async function run(bench: Bench) {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const p95 = async () => percentile((await cancelPaced(paced, effort.windowMs)).latencies, 95);
  const besideSlow = async () => {
    await seedDeliveries(paced.scene.admin, paced.slow, scaled(effort, WAITING), true);
    const measured = await p95();
    await forget(paced);
    return measured;
  };
  const { service, floor } = await measureBoth(bench, `${PER_SECOND} cancels/s`, besideSlow, p95);
  const waiting = WAITING.toLocaleString('en-US');
  return [
    figure('fairness', {
      name: `${PER_SECOND} cancels/s: p95 of the others' receipts beside ${waiting} waiting for a slow one`,
      ...{ unit: 'ms', better: 'lower', repetitions: service },
      floor: { what: FLOOR, repetitions: floor },
      target: { of: 'ratio', is: 'at most', limit: 1.2 },
    }),
  ];
}

/** Takes away what waits for the slow endpoint; its attempt under way goes on and finds nothing after it. */
async function forget({ scene, slow }: PacedStage): Promise<void> {
  await scene.admin.query(
    `update webhook_deliveries set status = 'skipped', due_at = null where endpoint_id = $1 and due_at is not null`,
    [slow[0]?.id],
  );
}

/** A slow receiver beside others. */
export const fairness: Scenario = { name: 'fairness', run };
