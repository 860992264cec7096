import { figure } from '../figure.ts';
import type { Load } from '../http-load.ts';
import { type Bench, type Scenario, scaled } from '../scenario.ts';
import { seedLinks, seedPractices } from '../seed.ts';

const CONNECTIONS = 32;
const LINKS = 10_000;
/** How many different links are read. */
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
  const figures = [];
  for (const status of ['active', 'paid']) {
    const [service, bare] = [await loadOf(status, [serve.port]), await loadOf(status, [floorPort])];
    const [rates, floorRates]: [number[], number[]] = [[], []];
    for (const warmUp of [service, bare]) await load.call('putLoad', { ...warmUp, windowMs: effort.warmUpMs });
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      rates.push((await load.call('putLoad', service)).perSecond);
      floorRates.push((await load.call('putLoad', bare)).perSecond);
      say(`${status} links, repetition ${repetition} of ${effort.repetitions}`);
    }
    figures.push(
      figure('get', {
        name: `one ${status} link`,
        unit: 'requests/s',
        better: 'higher',
        repetitions: rates,
        floor: { what: FLOOR, repetitions: floorRates },
        target: { of: 'ratio', is: 'at least', limit: 0.6 },
      }),
    );
  }
  return figures;
}

/** Reading one link. */
export const get: Scenario = { name: 'get', run };
