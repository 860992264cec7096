import { figure } from '../../figure.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { seedDeliveries } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';
import { NO_WAKE_UPS, until } from './drain.ts';
import { type CancelStage, cancelPaced, cancelStage, type PacedStage, PER_SECOND, publishPaced } from './paced.ts';

const WAITING = 5_000;
const FLOOR = 'the same without the slow endpoint';

/** Sources of the events: cancels through the API, or a process that publishes them. */
const STREAMS = {
  [`${PER_SECOND} cancels/s`]: (paced: CancelStage, forMs: number) => cancelPaced(paced, forMs),
  [`${PER_SECOND} published/s`]: (paced: CancelStage, forMs: number) => publishPaced(paced, paced.scene.url, forMs),
};

async function run({ stage, effort, say }: Bench) {
  const paced = await cancelStage(stage);
  const forMs = effort.windowMs;
  const figures = [];
  for (const [stream, put] of Object.entries(STREAMS)) {
    await put(paced, effort.warmUpMs);
    const [times, floorTimes]: [number[], number[]] = [[], []];
    const p95 = async () => {
      // Five thousand transactions would take long. Their wake-up jobs are queued in one, and run first.
      await until(paced.scene.admin, NO_WAKE_UPS);
      return percentile((await put(paced, forMs)).latencies, 95);
    };
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      floorTimes.push(await p95());
      await seedDeliveries(paced.scene.admin, paced.slow, scaled(effort, WAITING), true);
      times.push(await p95());
      await forget(paced);
      say(`${stream}, repetition ${repetition} of ${effort.repetitions}`);
    }
    const waiting = WAITING.toLocaleString('en-US');
    figures.push(
      figure('fairness', {
        name: `${stream}: p95 of the others' receipts beside ${waiting} waiting for a slow one`,
        unit: 'ms',
        better: 'lower',
        repetitions: times,
        floor: { what: FLOOR, repetitions: floorTimes },
        target: { of: 'ratio', is: 'at most', limit: 1.2 },
      }),
    );
  }
  return figures;
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
