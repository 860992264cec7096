import type { Measured } from '../../figure.ts';
import { apiBesideFloor } from '../../measured-load.ts';
import { type Bench, scaled } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import { seedPractices } from '../../seed/seed.ts';
import { ADDRESSES, CONNECTIONS } from './create.ts';

const LINKS = 10_000;
const READ = 500;
const FLOOR = 'the floor: bare Koa over pg: one statement that reads link, location, transaction and refunds';

/** Reading one link. */
export async function get(bench: Bench) {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const [practice] = await seedPractices(scene.admin, { practices: 1, locationsEach: 2, keysEach: 32 });
  if (practice === undefined) throw new Error('one practice was asked for');
  await seedLinks(scene.admin, practice, { count: scaled(effort, LINKS), firstNumber: 0 });
  const measure = await apiBesideFloor(bench, scene);
  const figures: Measured[] = [];
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
    const names = { name: `one ${status} link`, unit: 'requests/s', floor: FLOOR, rate: 0.6 };
    figures.push(...(await measure(names, (port) => ({ port, ...how, ...times }))));
  }
  return figures;
}
