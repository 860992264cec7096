import { figure } from '../../figure.ts';
import { type MeasuredLoad, measureLoad, processorTimes } from '../../measured-load.ts';
import type { Load } from '../../processes/http-load.ts';
import type { Bench, Effort, Scenario } from '../../scenario.ts';
import { createBody } from '../../seed/sample-data.ts';
import { type SeededPractice, seedPractices } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';

/** 5,000 links a day each: enough keys for several minutes of this load. */
export const CREATE_PRACTICES = { practices: 100, locationsEach: 2, keysEach: 4 };

const CONNECTIONS = 32;
/** One per connection, as many practices' systems have; and one, as a single platform has. */
const MANY_ADDRESSES = process.platform === 'linux' ? CONNECTIONS : 1;

export const CREATE_FLOOR = 'the floor: bare Koa over pg: one statement that inserts link, day count and stored reply';

/** POST /payment-links with 32 connections over all keys. */
export function createLoad(practices: readonly SeededPractice[], effort: Effort, ports: number[]): Load {
  return {
    ports,
    connections: CONNECTIONS,
    addresses: MANY_ADDRESSES,
    requests: practices.flatMap(({ keys, locationIds }) =>
      keys.map((key) => ({
        method: 'POST' as const,
        path: '/api/v1/payment-links',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: createBody(locationIds[0] ?? ''),
      })),
    ),
    idempotent: true,
    expectStatus: 201,
    warmUpMs: effort.warmUpMs / 2,
    windowMs: effort.windowMs,
  };
}

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const [serve, load, floor, bare] = [
    await stage.start('serve', scene),
    stage.helper('load'),
    stage.helper('floorApi'),
    stage.helper('floorApi'),
  ];
  const service = createLoad(practices, effort, [serve.port]);
  const floorLoad = createLoad(practices, effort, [await floor.call('serve', scene.url)]);
  const ceilingLoad = { ...floorLoad, ports: [await bare.call('serveNothing', null)], expectStatus: 200 };
  for (const warmUp of [service, floorLoad, ceilingLoad]) {
    await load.call('putLoad', { ...warmUp, windowMs: effort.warmUpMs });
  }
  const results = {
    service: [] as MeasuredLoad[],
    floor: [] as MeasuredLoad[],
    single: [] as MeasuredLoad[],
    ceiling: 0,
  };
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    results.service.push(await measureLoad(load, service, serve.pid));
    results.floor.push(await measureLoad(load, floorLoad, floor.pid));
    results.single.push(await measureLoad(load, { ...service, addresses: 1 }, serve.pid));
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  results.ceiling = (await load.call('putLoad', ceilingLoad)).perSecond;
  return figuresOf(results);
}

function figuresOf(results: {
  service: MeasuredLoad[];
  floor: MeasuredLoad[];
  single: MeasuredLoad[];
  ceiling: number;
}) {
  const rate = (of: MeasuredLoad[]) => of.map(({ perSecond }) => perSecond);
  const p99 = (of: MeasuredLoad[]) => of.map(({ latencies }) => percentile([...latencies], 99));
  const floorRate = { what: CREATE_FLOOR, repetitions: rate(results.floor) };
  const atLeast = { of: 'ratio', is: 'at least', limit: 0.6 } as const;
  const perSecond = { unit: 'requests/s', better: 'higher' } as const;
  return [
    figure('create', {
      ...perSecond,
      name: `${CONNECTIONS} connections, ${MANY_ADDRESSES} addresses`,
      repetitions: rate(results.service),
      floor: floorRate,
      target: atLeast,
    }),
    figure('create', {
      ...perSecond,
      name: `${CONNECTIONS} connections, one address`,
      repetitions: rate(results.single),
      floor: floorRate,
      target: atLeast,
      note: 'requests of one address are counted in one row, one after the other',
    }),
    figure('create', {
      name: 'p99',
      unit: 'ms',
      better: 'lower',
      repetitions: p99(results.service),
      floor: { what: CREATE_FLOOR, repetitions: p99(results.floor) },
      target: { of: 'ratio', is: 'at most', limit: 3 },
    }),
    ...processorFigure(results),
    figure('create', {
      ...perSecond,
      name: 'ceiling of the load generator',
      repetitions: [results.ceiling],
      note: 'against a server that answers at once',
    }),
  ];
}

/** Processor time of the API's process itself: the part of the rate that other load on the machine does not change. */
function processorFigure(results: { service: MeasuredLoad[]; floor: MeasuredLoad[] }) {
  const [service, floor] = [processorTimes(results.service), processorTimes(results.floor)];
  if (service.length === 0) return [];
  return [
    figure('create', {
      name: 'processor time of the API per create',
      unit: 'ms',
      better: 'lower',
      repetitions: service,
      floor: { what: CREATE_FLOOR, repetitions: floor },
    }),
  ];
}

/** Creating links, through everything. */
export const create: Scenario = { name: 'create', run };
