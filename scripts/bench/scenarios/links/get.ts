import type { Figure } from '../../figure.ts';
import { loadFigures, measureLoad } from '../../measured-load.ts';
import { type Bench, measureBoth, type Scenario, scaled } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import { seedPractices } from '../../seed/seed.ts';
import { ADDRESSES, CONNECTIONS } from './create.ts';

const LINKS = 10_000;
/** Number of different links that are read. */
const READ = 500;
const FLOOR = 'the floor: bare Koa over pg: one statement that reads link, location, transaction and refunds';

async function run(bench: Bench) {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const [practice] = await seedPractices(scene.admin, { practices: 1, locationsEach: 2, keysEach: 32 });
  if (practice === undefined) throw new Error('one practice was asked for');
  await seedLinks(scene.admin, practice, scaled(effort, LINKS), 0);
  const [serve, helper, floor] = [await stage.start('serve', scene), stage.helper('load'), stage.helper('floorApi')];
  const floorPort = await floor.call('serve', scene.url);
  const figures: Figure[] = [];
  for (const status of ['active', 'paid']) {
    const { rows } = await scene.admin.query<{ id: string }>(
      'select id from payment_links where status = $1 order by md5(id) limit $2',
      [status, READ],
    );
    const requests = rows.map(({ id }, index) => ({
      method: 'GET' as const,
      path: `/api/v1/payment-links/${id}`,
      headers: { Authorization: `Bearer ${practice.keys[index % practice.keys.length]}` },
    }));
    const how = { connections: CONNECTIONS, addresses: ADDRESSES, requests, idempotent: false, expectStatus: 200 };
    const times = { warmUpMs: effort.warmUpMs / 2, windowMs: effort.windowMs * 0.75 };
    const measure = (port: number, pid: number) =>
      measureLoad({ stage, scene, helper, load: { port, ...how, ...times }, pid });
    const measured = await measureBoth(
      bench,
      `${status} links`,
      () => measure(serve.port, serve.pid),
      () => measure(floorPort, floor.pid),
    );
    const name = `one ${status} link`;
    figures.push(
      ...loadFigures({ scenario: 'get', name, unit: 'requests/s', floor: FLOOR, rate: 0.6, cost: null }, measured),
    );
  }
  return figures;
}

/** Reading one link. */
export const get: Scenario = { name: 'get', run };
