import os from 'node:os';
import type { Measured } from '../../figure.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { seedPractices } from '../../seed/seed.ts';
import type { Helpers } from '../../stage.ts';
import { CONNECTIONS, CREATE_PRACTICES, createLoad } from '../links/create.ts';
import { drainOnce, drainScene } from '../webhooks/drain.ts';

const CORES = os.availableParallelism();
const PROCESSES = [1, 2, 4];
const DELIVERIES = 8_000;
/** Per process, for each has its own code to compile. */
const WARM_UP = 1_000;
const ENDPOINTS = 100;

/** Measures rates by number of processes. The numbers take turns, so that no one of them has the machine's best minute. */
async function ratesOf(bench: Bench, what: string, unit: string, measure: (processes: number) => Promise<number>) {
  const rates = new Map(PROCESSES.map((processes): [number, number[]] => [processes, []]));
  await repeat(bench, what, async () => {
    for (const [processes, of] of rates) of.push(await measure(processes));
  });
  await bench.stage.clear();
  const alone = rates.get(1) ?? [];
  return [...rates].map(([processes, repetitions]): Measured => {
    const name = `${what}, ${processes} process${processes === 1 ? '' : 'es'} on ${CORES} cores`;
    if (processes === 1) return { name, unit, repetitions };
    // Otherwise more processes only share what one already fills, and their rate says nothing about the service.
    const isJudged = CORES >= 2 * processes;
    return {
      ...{ name, unit, repetitions, isJudged, floor: { what: 'the same with one process', repetitions: alone } },
      // Nothing slower with more processes, within what repetitions differ by.
      target: { of: 'ratio', limit: 0.95 },
      note: isJudged ? undefined : 'not judged: two cores for each process are needed',
    };
  });
}

async function creates(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const apis: { port: number; load: Helpers['load'] }[] = [];
  for (const _ of Array(Math.max(...PROCESSES))) {
    apis.push({ port: (await stage.start('serve', scene)).port, load: stage.helper('load') });
  }
  // Each API has a load of its own, and all of them have the connections of one.
  const put = async (processes: number) => {
    const connections = CONNECTIONS / processes;
    const results = apis.slice(0, processes).map(({ port, load }) => {
      return load.call('putLoad', { ...createLoad(practices, effort, port), connections });
    });
    return (await Promise.all(results)).reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await put(Math.max(...PROCESSES));
  return ratesOf(bench, `create, ${CONNECTIONS} connections`, 'requests/s', put);
}

async function drains(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const drained = await drainScene(stage, ENDPOINTS);
  return ratesOf(bench, `drain to ${ENDPOINTS} endpoints`, 'deliveries/s', async (processes) => {
    const workers = await Promise.all(Array.from({ length: processes }, () => stage.start('worker', drained.scene)));
    await drainOnce(drained, scaled(effort, WARM_UP * processes));
    const rate = await drainOnce(drained, scaled(effort, DELIVERIES));
    await Promise.all(workers.map((worker) => worker.stop()));
    return rate;
  });
}

/** More processes of a kind. */
export async function scaleOut(bench: Bench) {
  return [...(await creates(bench)), ...(await drains(bench))];
}
