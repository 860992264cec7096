import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from '../../figure.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { seedDeliveries, seedEndpoints, seedPractices } from '../../seed/seed.ts';
import type { ServiceProcess } from '../../stage.ts';
import { drainOnce, drainScene } from '../webhooks/drain.ts';
import { cancelPaced, linksFor, pacedStage } from '../webhooks/paced.ts';

const WAITING = 100_000;
const ENDPOINTS = 1_000;
const ANSWER_AFTER_MS = 9_000;
const SAMPLES_EVERY_MS = 100;
/** Cancels as fast as the connections bring them. */
const UNDER_LOAD = { cancels: 3_000, perSecond: 100_000 };

/** Resident size of the processes. */
export async function memory(bench: Bench): Promise<Measured[]> {
  const { stage, effort, say } = bench;
  const drained = await drainScene(stage, 100);
  const { scene, port } = drained;
  const [serve, worker] = [await stage.start('serve', scene), await stage.start('worker', scene)];
  // Both have worked before they rest, as they have after their first hour.
  await drainOnce(drained, scaled(effort, 5_000));
  await Promise.all(Array.from({ length: 50 }, () => fetch(`http://127.0.0.1:${serve.port}/openapi.yaml`)));
  const atRest = await highest([serve, worker], effort.windowMs);
  say('at rest');
  const practices = await seedPractices(scene.admin, { practices: 100, locationsEach: 1, keysEach: 0 });
  const urls = Array.from(
    { length: scaled(effort, ENDPOINTS) },
    (_, n) => `http://127.0.0.1:${port}/after/${ANSWER_AFTER_MS}/${n}`,
  );
  const slow = await seedEndpoints(scene.admin, practices, urls);
  await seedDeliveries(scene.admin, slow, scaled(effort, WAITING), true);
  const waiting = await highest([serve, worker], effort.windowMs * 3);
  say('with deliveries waiting');
  await stage.clear();
  const each = ['API', 'worker'].flatMap((name, index): Measured[] => {
    const [rest, busy] = [atRest[index] ?? [], waiting[index] ?? []];
    if (rest.length === 0 || busy.length === 0) return [];
    return [
      { name: `${name} at rest`, unit: 'MB', repetitions: rest, target: { of: 'value', limit: 200 } },
      {
        ...{ name: `${name}, ${WAITING.toLocaleString('en-US')} waiting at ${ENDPOINTS} slow endpoints`, unit: 'MB' },
        repetitions: [Math.max(...busy)],
        floor: { what: 'the same at rest', repetitions: [Math.max(...rest)] },
        target: { of: 'ratio', limit: 1.3 },
        note: 'the highest of the whole time, every endpoint with an attempt under way',
      },
    ];
  });
  return [
    ...each,
    {
      ...{ name: 'API and worker together, cancels at full speed', unit: 'MB', repetitions: await underLoad(bench) },
      target: { of: 'value', limit: 350 },
      note: 'the highest of the whole time',
    },
  ];
}

/** Highest sum of both processes while links are cancelled and their events delivered; per repetition. */
async function underLoad(bench: Bench): Promise<number[]> {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const { perSecond, cancels } = UNDER_LOAD;
  return repeat(bench, 'under load', async () => {
    let peak = 0;
    const timer = setInterval(() => {
      const [api, worker] = [paced.serve.residentMb(), paced.worker.residentMb()];
      if (api !== null && worker !== null) peak = Math.max(peak, api + worker);
    }, SAMPLES_EVERY_MS);
    try {
      const forMs = (scaled(effort, cancels / effort.repetitions) * 1000) / perSecond;
      await cancelPaced(paced, await linksFor(paced, forMs, perSecond), perSecond);
    } finally {
      clearInterval(timer);
    }
    return peak;
  });
}

/** Resident megabytes of each process, the highest of each third of a time. */
async function highest(processes: readonly ServiceProcess[], forMs: number): Promise<number[][]> {
  const highest: number[][] = processes.map(() => []);
  const startedMs = performance.now();
  for (let third = 0; third < 3; third = Math.floor(((performance.now() - startedMs) * 3) / forMs)) {
    for (const [index, running] of processes.entries()) {
      const mb = running.residentMb();
      const thirds = highest[index] ?? [];
      if (mb !== null) thirds[third] = Math.max(mb, thirds[third] ?? 0);
    }
    await pause(SAMPLES_EVERY_MS);
  }
  return highest.map((thirds) => Object.values(thirds));
}
