import { figure } from '../figure.ts';
import type { LoadRequest } from '../http-load.ts';
import { type Bench, type Scenario, scaled } from '../scenario.ts';
import { type SeededPractice, seedLinks, seedPractices } from '../seed.ts';
import { percentile } from '../statistics.ts';

const SMALL = 10_000;
const LARGE = 1_000_000;
/** Slow pages end a repetition by time, fast ones by number. */
const WINDOW_MS = 1_500;
const REQUESTS = 40;

/** The same question to both practices; times are where both have an equal share of their links. */
function queriesOf(practice: SeededPractice): [string, string][] {
  const daysAgo = (days: number) => encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString());
  return [
    ['first page', ''],
    ['status=active', 'status=active'],
    ['status=expired', 'status=expired'],
    ['status=paid', 'status=paid'],
    ['externalReference', 'externalReference=visit-1000'],
    ['locationId', `locationId=${practice.locationIds[1]}`],
    ['createdAfter (a month ago)', `createdAfter=${daysAgo(30)}`],
    ['createdBefore (a month ago)', `createdBefore=${daysAgo(30)}`],
    ['paidAfter (a month ago)', `paidAfter=${daysAgo(30)}`],
    ['page 1,000 of 10 links', 'page=1000&pageSize=10'],
  ];
}

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const [small, large] = await seedPractices(scene.admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  say('making a million links');
  await seedLinks(scene.admin, small, scaled(effort, SMALL), 0);
  await seedLinks(scene.admin, large, scaled(effort, LARGE), LARGE);
  // As autovacuum would within a minute.
  await scene.admin.query('analyze');
  await scene.admin.query('checkpoint');
  const [serve, load] = [await stage.start('serve', scene), stage.helper('load')];
  const p95 = async (practice: SeededPractice, query: string) => {
    const headers = { Authorization: `Bearer ${practice.keys[0]}` };
    const request: LoadRequest = { method: 'GET', path: `/api/v1/payment-links?${query}`, headers };
    const how = { connections: 1, addresses: 1, idempotent: false, expectStatus: 200, warmUpMs: 0 };
    const result = await load.call('putLoad', {
      ...{ ports: [serve.port], requests: [request], ...how, windowMs: WINDOW_MS, maxRequests: REQUESTS },
    });
    return percentile([...result.latencies], 95);
  };
  const largeQueries = queriesOf(large);
  const figures = [];
  for (const [index, [name, query]] of queriesOf(small).entries()) {
    const largeQuery = largeQueries[index]?.[1] ?? '';
    const [times, floorTimes]: [number[], number[]] = [[], []];
    await p95(small, query);
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      floorTimes.push(await p95(small, query));
      times.push(await p95(large, largeQuery));
    }
    say(name);
    figures.push(
      figure('list', {
        name: `p95 at a million: ${name}`,
        unit: 'ms',
        better: 'lower',
        repetitions: times,
        floor: { what: 'the same of a practice with ten thousand links', repetitions: floorTimes },
        target: { of: 'ratio', is: 'at most', limit: 2 },
      }),
    );
  }
  return figures;
}

/** Lists of a practice with very many links, against one with an ordinary number. */
export const list: Scenario = { name: 'list', run };
