import type { Measured } from '../../figure.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { seedDeliveries } from '../../seed/seed.ts';
import { machineMs } from '../../statistics.ts';
import { drainScene, settle } from '../webhooks/drain.ts';

const WAITING = 10_000;
const ENDPOINTS = 100;
const LONGEST_MS = 30_000;

/** Time until a process works, with the database running. */
export async function start(bench: Bench): Promise<Measured[]> {
  const { stage } = bench;
  const scene = await stage.newScene();
  const startOnce = async (command: 'serve' | 'worker') => {
    const startedMs = machineMs();
    const running = await stage.start(command, scene);
    const tookMs = machineMs() - startedMs;
    await running.stop();
    return tookMs;
  };
  // The files are in the system's cache afterwards, as they are on a machine that ran the service before.
  await startOnce('serve');
  const times = await repeat(bench, 'starts', async () => ({
    serve: await startOnce('serve'),
    worker: await startOnce('worker'),
  }));
  await stage.clear();
  return [
    {
      ...{ name: 'serve: from its start to the first answer', unit: 'ms', target: { of: 'value', limit: 1_500 } },
      repetitions: times.map(({ serve }) => serve),
    },
    { name: 'worker: from its start to work', unit: 'ms', repetitions: times.map(({ worker }) => worker) },
    {
      name: `worker: from its start to the first delivery, ${WAITING.toLocaleString('en-US')} waiting`,
      ...{ unit: 'ms', repetitions: await firstDeliveries(bench), target: { of: 'value', limit: 500 } },
    },
  ];
}

/** Milliseconds from the worker's start to the first receipt, with deliveries waiting. */
async function firstDeliveries(bench: Bench): Promise<number[]> {
  const { stage, effort } = bench;
  const { scene, endpoints, receiver } = await drainScene(stage, ENDPOINTS);
  return repeat(bench, 'first delivery', async () => {
    await settle(scene.admin);
    await receiver.call('reset', null);
    await seedDeliveries(scene.admin, endpoints, scaled(effort, WAITING), true);
    const startedMs = machineMs();
    const running = stage.start('worker', scene);
    const { firstMs } = await receiver.call('awaitCount', { count: 1, withinMs: LONGEST_MS });
    if (firstMs === null) throw new Error(`no delivery within ${LONGEST_MS} ms`);
    await (await running).stop();
    return firstMs - startedMs;
  });
}
