import { figure } from '../figure.ts';
import { type Bench, type Scenario, scaled } from '../scenario.ts';
import { seedDeliveries } from '../seed.ts';
import { percentile } from '../statistics.ts';
import { until } from './drain.ts';
import { type PacedStage, pacedStage, publishPaced } from './paced.ts';

const WAITING = 5_000;
const FLOOR = 'the same without the slow endpoint';

async function run({ stage, effort, say }: Bench) {
  const paced = await pacedStage(stage);
  await publishPaced(paced, paced.scene.url, effort.warmUpMs);
  const [times, floorTimes]: [number[], number[]] = [[], []];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    floorTimes.push(await p95(paced, effort.windowMs * 1.5));
    await seedDeliveries(paced.scene.admin, paced.slow, scaled(effort, WAITING), true);
    times.push(await p95(paced, effort.windowMs * 1.5));
    await forget(paced);
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  return [
    figure('fairness', {
      name: `p95 of the others beside ${WAITING.toLocaleString('en-US')} waiting for a slow one`,
      unit: 'ms',
      better: 'lower',
      repetitions: times,
      floor: { what: FLOOR, repetitions: floorTimes },
      target: { of: 'ratio', is: 'at most', limit: 1.2 },
    }),
  ];
}

async function p95(paced: PacedStage, forMs: number): Promise<number> {
  // Five thousand transactions would take long. Their wake-up jobs are queued in one, and run first.
  await until(paced.scene.admin, 'not exists (select from graphile_worker.jobs)');
  const { latencies } = await publishPaced(paced, paced.scene.url, forMs);
  return percentile(latencies, 95);
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
