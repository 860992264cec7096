import type { Measured } from '../../figure.ts';
import { apiBesideFloor } from '../../measured-load.ts';
import type { LoadRequest } from '../../processes/connection.ts';
import type { Load } from '../../processes/load-process.ts';
import { type Bench, type Effort, scaled } from '../../scenario.ts';
import { clearLinks, type SeededLink, seedActiveLinks } from '../../seed/changes.ts';
import { seedEndpoints, seedPractices } from '../../seed/seed.ts';
import { ADDRESSES, CONNECTIONS } from './create.ts';

const PRACTICES = { practices: 100, locationsEach: 2, keysEach: 1, testKeysEach: 1 };
/** A repetition ends when all are changed, or by time. */
const LINKS = 6_000;
const FLOOR =
  'the floor: bare Koa over pg: one statement that changes the link, inserts what belongs to it, queues the delivery and wakes up its endpoint';

interface Change {
  name: string;
  test: boolean;
  request: (link: SeededLink) => Pick<LoadRequest, 'method' | 'path' | 'body'>;
}

const pathOf = (link: SeededLink, action = '') => `/api/v1/payment-links/${link.id}${action}`;

const CHANGES: readonly Change[] = [
  {
    name: 'cancel',
    test: false,
    request: (link) => ({ method: 'POST', path: pathOf(link, '/cancel') }),
  },
  {
    name: 'update',
    test: false,
    // It publishes nothing.
    request: (link) => ({ method: 'PATCH', path: pathOf(link), body: '{"description":"Cleaning and three fillings"}' }),
  },
  {
    name: 'simulate paid',
    test: true,
    request: (link) => ({ method: 'POST', path: pathOf(link, '/simulate'), body: '{"outcome":"paid"}' }),
  },
];

/** Practices with an endpoint of each mode, which answers at once. `newLinks` replaces all links by active ones. */
export async function changeScene({ stage, effort }: Bench) {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, PRACTICES);
  const port = await stage.helper('receiver').call('start', null);
  const urls = Array.from({ length: practices.length }, (_, n) => `http://127.0.0.1:${port}/at-once/${n}`);
  for (const test of [false, true]) await seedEndpoints(scene.admin, practices, urls, test);
  const newLinks = async (test = false, count = scaled(effort, LINKS)) => {
    await clearLinks(scene.admin);
    return seedActiveLinks(scene.admin, practices, count, test);
  };
  return { scene, newLinks };
}

/** Changes each link once, with 32 connections. */
export function changeLoad(requests: LoadRequest[], { warmUpMs, windowMs }: Effort, port: number): Load {
  return {
    ...{ port, connections: CONNECTIONS, addresses: ADDRESSES },
    ...{ requests, once: true, idempotent: false, expectStatus: 200 },
    ...{ warmUpMs: warmUpMs / 4, windowMs: windowMs / 2 },
  };
}

function requestsOf({ request, test }: Change, links: readonly SeededLink[]): LoadRequest[] {
  return links.map((link) => {
    const { method, path, body } = request(link);
    const [key = ''] = test ? link.practice.testKeys : link.practice.keys;
    const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) };
    return { method, path, headers, ...(body && { body }) };
  });
}

/** Changing links through the API: no worker runs, so that processor and statements are those of the change alone. */
export async function change(bench: Bench) {
  const { scene, newLinks } = await changeScene(bench);
  const measure = await apiBesideFloor(bench, scene);
  const figures: Measured[] = [];
  for (const change of CHANGES) {
    const load = async (port: number) =>
      changeLoad(requestsOf(change, await newLinks(change.test)), bench.effort, port);
    const cost = { statements: 4, processorMs: 2 };
    figures.push(...(await measure({ name: change.name, unit: 'requests/s', floor: FLOOR, rate: 0.5, cost }, load)));
  }
  return figures;
}
