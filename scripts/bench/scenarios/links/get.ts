import { type Figure, figure } from '../../figure.ts';
import { type MeasuredLoad, measureLoad, processorTimes } from '../../measured-load.ts';
import type { Load } from '../../processes/http-load.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import { seedPractices } from '../../seed/seed.ts';

const CONNECTIONS = 32;
const LINKS = 10_000;
/** Number of different links that are read. */
const READ = 500;
const FLOOR = 'the floor: bare Koa over pg: one statement that reads link, location, transaction and refunds';

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const [practice] = await seedPractices(scene.admin, { practices: 1, locationsEach: 2, keysEach: 32 });
  if (practice === undefined) throw new Error('one practice was asked for');
  await seedLinks(scene.admin, practice, scaled(effort, LINKS), 0);
  const [serve, load, floor] = [await stage.start('serve', scene), stage.helper('load'), stage.helper('floorApi')];
  const floorPort = await floor.call('serve', scene.url);
  const loadOf = async (status: string, ports: number[]): Promise<Load> => {
    const { rows } = await scene.admin.query<{ id: string }>(
      'select id from payment_links where status = $1 order by md5(id) limit $2',
      [status, READ],
    );
    const requests = rows.map(({ id }, index) => ({
      method: 'GET' as const,
      path: `/api/v1/payment-links/${id}`,
      headers: { Authorization: `Bearer ${practice.keys[index % practice.keys.length]}` },
    }));
    const addresses = process.platform === 'linux' ? CONNECTIONS : 1;
    const { windowMs, warmUpMs } = effort;
    const how = { idempotent: false, expectStatus: 200, warmUpMs: warmUpMs / 2, windowMs: windowMs * 0.75 };
    return { ports, connections: CONNECTIONS, addresses, requests, ...how };
  };
  const figures: Figure[] = [];
  for (const status of ['active', 'paid']) {
    const [service, bare] = [await loadOf(status, [serve.port]), await loadOf(status, [floorPort])];
    const [results, floorResults]: [MeasuredLoad[], MeasuredLoad[]] = [[], []];
    for (const warmUp of [service, bare]) await load.call('putLoad', { ...warmUp, windowMs: effort.warmUpMs });
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      results.push(await measureLoad(load, service, serve.pid));
      floorResults.push(await measureLoad(load, bare, floor.pid));
      say(`${status} links, repetition ${repetition} of ${effort.repetitions}`);
    }
    figures.push(...figuresOf(status, results, floorResults));
  }
  return figures;
}

function figuresOf(status: string, results: MeasuredLoad[], floorResults: MeasuredLoad[]): Figure[] {
  const rate = (of: MeasuredLoad[]) => of.map(({ perSecond }) => perSecond);
  const times = processorTimes(results);
  const rates = figure('get', {
    name: `one ${status} link`,
    unit: 'requests/s',
    better: 'higher',
    repetitions: rate(results),
    floor: { what: FLOOR, repetitions: rate(floorResults) },
    target: { of: 'ratio', is: 'at least', limit: 0.6 },
  });
  if (times.length === 0) return [rates];
  const processor = figure('get', {
    name: `processor time of the API per ${status} link`,
    unit: 'ms',
    better: 'lower',
    repetitions: times,
    floor: { what: FLOOR, repetitions: processorTimes(floorResults) },
  });
  return [rates, processor];
}

/** Reading one link. */
export const get: Scenario = { name: 'get', run };
