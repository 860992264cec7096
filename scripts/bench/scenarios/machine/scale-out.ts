import os from 'node:os';
import { figure } from '../../figure.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { seedPractices } from '../../seed/seed.ts';
import { CREATE_PRACTICES, createLoad } from '../links/create.ts';
import { drainOnce, drainScene } from '../webhooks/drain.ts';
import { hasCoresFor, loadProcessesOn, processesOn, putDividedLoad } from './scale.ts';

const CORES = os.availableParallelism();
const APIS = processesOn(CORES, 'serve');
const WORKERS = processesOn(CORES, 'worker');
const DELIVERIES = 8_000;
/** Per process, for each has its own code to compile. */
const WARM_UP = 1_000;
const ENDPOINTS = 100;

/** Connections of the load on all APIs. The same number on each separates the cost of processes from that of small batches. */
const CONNECTIONS = 32;

/** Rates by number of processes; the numbers take turns, so that no one of them has the machine's best minute. */
type Rates = Map<number, number[]>;

async function creates({ stage, effort, say }: Bench): Promise<{ shared: Rates; each: Rates }> {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const helpers = Array.from({ length: loadProcessesOn(CORES) }, () => stage.helper('load'));
  const all = await Promise.all(Array.from({ length: Math.max(...APIS) }, () => stage.start('serve', scene)));
  const ports = all.map(({ port }) => port);
  const warmUp = createLoad(practices, effort, ports);
  await putDividedLoad(helpers, { ...warmUp, windowMs: effort.warmUpMs * 2 });
  const [shared, each] = [noRates(APIS), noRates(APIS)];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    for (const processes of APIS) {
      const some = createLoad(practices, { ...effort, windowMs: effort.windowMs / 2 }, ports.slice(0, processes));
      shared.get(processes)?.push(await putDividedLoad(helpers, some));
      const onEach = { ...some, connections: CONNECTIONS * processes };
      if (processes > 1) each.get(processes)?.push(await putDividedLoad(helpers, onEach));
    }
    say(`creates, repetition ${repetition} of ${effort.repetitions}`);
  }
  await stage.clear();
  return { shared, each };
}

function noRates(numbers: readonly number[]): Rates {
  return new Map(numbers.map((processes) => [processes, []]));
}

async function drains({ stage, effort, say }: Bench): Promise<Rates> {
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, endpoints } = await drainScene(stage, port, ENDPOINTS);
  const rates = noRates(WORKERS);
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    for (const processes of WORKERS) {
      const workers = await Promise.all(Array.from({ length: processes }, () => stage.start('worker', scene)));
      await drainOnce(scene, receiver, endpoints, scaled(effort, WARM_UP * processes));
      rates.get(processes)?.push(await drainOnce(scene, receiver, endpoints, scaled(effort, DELIVERIES)));
      await Promise.all(workers.map((worker) => worker.stop()));
    }
    say(`drains, repetition ${repetition} of ${effort.repetitions}`);
  }
  await stage.clear();
  return rates;
}

function figuresOf(what: string, unit: string, rates: Rates) {
  const alone = rates.get(1) ?? [];
  return [...rates].map(([processes, repetitions]) =>
    figure('scale-out', {
      name: `${what}, ${processes} process${processes === 1 ? '' : 'es'} on ${CORES} cores`,
      unit,
      better: 'higher',
      repetitions,
      ...(processes === 1
        ? {}
        : {
            floor: { what: 'the same with one process', repetitions: alone },
            // Nothing slower with more processes, within what repetitions differ by.
            target: { of: 'ratio', is: 'at least', limit: 0.95 } as const,
            ...(hasCoresFor(processes, CORES)
              ? {}
              : { isJudged: false, note: 'not judged: two cores for each process are needed' }),
          }),
    }),
  );
}

async function run(bench: Bench) {
  const { shared, each } = await creates(bench);
  const alone = shared.get(1) ?? [];
  return [
    ...figuresOf(`create, ${CONNECTIONS} connections`, 'requests/s', shared),
    ...APIS.slice(1).map((processes) =>
      figure('scale-out', {
        name: `create, ${CONNECTIONS} connections to each of ${processes} processes on ${CORES} cores`,
        unit: 'requests/s',
        better: 'higher',
        repetitions: each.get(processes) ?? [],
        floor: { what: 'the same with one process', repetitions: alone },
      }),
    ),
    ...figuresOf(`drain to ${ENDPOINTS} endpoints`, 'deliveries/s', await drains(bench)),
  ];
}

/** More processes of a kind. */
export const scaleOut: Scenario = { name: 'scale-out', run };
