import { setTimeout as pause } from 'node:timers/promises';
import { figure } from '../../figure.ts';
import type { ServiceProcess } from '../../processes/service-process.ts';
import { type Bench, repeat, type Scenario, scaled } from '../../scenario.ts';
import { seedDeliveries, seedEndpoints, seedPractices } from '../../seed/seed.ts';
import { drainOnce, drainScene } from '../webhooks/drain.ts';
import { cancelPaced, pacedStage } from '../webhooks/paced.ts';

const WAITING = 100_000;
const ENDPOINTS = 1_000;
const ANSWER_AFTER_MS = 9_000;
const SAMPLES_EVERY_MS = 100;
/** Cancels as fast as the connections bring them. */
const UNDER_LOAD = { cancels: 3_000, perSecond: 100_000 };

async function run(bench: Bench) {
  const { stage, effort, say } = bench;
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, endpoints } = await drainScene(stage, port, 100);
  const [serve, worker] = [await stage.start('serve', scene), await stage.start('worker', scene)];
  const both = [serve, worker] as const;
  // Both have worked before they rest, as they have after their first hour.
  await drainOnce(scene, receiver, endpoints, scaled(effort, 5_000));
  await Promise.all(Array.from({ length: 50 }, () => fetch(`http://127.0.0.1:${serve.port}/openapi.yaml`)));
  const atRest = await highest(both, effort.windowMs);
  say('at rest');
  const practices = await seedPractices(scene.admin, { practices: 100, locationsEach: 1, keysEach: 0 });
  const urls = Array.from({ length: scaled(effort, ENDPOINTS) }, (_, n) => urlOf(port, n));
  const slow = await seedEndpoints(scene.admin, practices, urls);
  await seedDeliveries(scene.admin, slow, scaled(effort, WAITING), true);
  const waiting = await highest(both, effort.windowMs * 3);
  say('with deliveries waiting');
  await stage.clear();
  const together = await underLoad(bench);
  const each = ['API', 'worker'].flatMap((name, index) => {
    const [rest, busy] = [atRest[index] ?? [], waiting[index] ?? []];
    if (rest.length === 0 || busy.length === 0) return [];
    const common = { unit: 'MB', better: 'lower' } as const;
    const floor = { what: 'the same at rest', repetitions: [Math.max(...rest)] };
    const full = `${name}, ${WAITING.toLocaleString('en-US')} waiting at ${ENDPOINTS} slow endpoints`;
    return [
      figure('memory', {
        ...{ ...common, name: `${name} at rest`, repetitions: rest },
        target: { of: 'value', is: 'at most', limit: 200 },
      }),
      figure('memory', {
        ...{ ...common, name: full, repetitions: [Math.max(...busy)], floor },
        target: { of: 'ratio', is: 'at most', limit: 1.3 },
        note: 'the highest of the whole time, every endpoint with an attempt under way',
      }),
    ];
  });
  return [
    ...each,
    figure('memory', {
      ...{ name: 'API and worker together, cancels at full speed', unit: 'MB', better: 'lower', repetitions: together },
      target: { of: 'value', is: 'at most', limit: 350 },
      note: 'the highest of the whole time',
    }),
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
      await cancelPaced(paced, (scaled(effort, cancels / effort.repetitions) * 1000) / perSecond, perSecond);
    } finally {
      clearInterval(timer);
    }
    return peak;
  });
}

function urlOf(port: number, index: number): string {
  return `http://127.0.0.1:${port}/after/${ANSWER_AFTER_MS}/${index}`;
}

/** Resident megabytes over a time, the highest of each third. */
async function highest(processes: readonly ServiceProcess[], forMs: number): Promise<number[][]> {
  const samples: number[][] = processes.map(() => []);
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    for (const [index, running] of processes.entries()) {
      const mb = running.residentMb();
      if (mb !== null) samples[index]?.push(mb);
    }
    await pause(SAMPLES_EVERY_MS);
  }
  return samples.map((of) => thirds(of).map((third) => Math.max(...third)));
}

function thirds(sample: number[]): number[][] {
  const size = Math.ceil(sample.length / 3);
  return [0, 1, 2].map((index) => sample.slice(index * size, (index + 1) * size)).filter(({ length }) => length > 0);
}

/** Resident size of the processes. */
export const memory: Scenario = { name: 'memory', run };
