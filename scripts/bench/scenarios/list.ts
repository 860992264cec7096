import type pg from 'pg';
import { type Figure, figure } from '../figure.ts';
import type { LoadRequest } from '../http-load.ts';
import { type Bench, type Scenario, scaled } from '../scenario.ts';
import { type SeededPractice, seedEndpoints, seedHistory, seedLinks, seedPractices } from '../seed.ts';
import { percentile } from '../statistics.ts';

const LINKS = '/api/v1/payment-links';
const DELIVERIES = '/api/v1/webhook-deliveries';
const SMALL = 10_000;
const LARGE = 1_000_000;
const ENDPOINTS_EACH = 3;
/** Slow pages end a repetition by time, fast ones by number. */
const WINDOW_MS = 1_500;
const REQUESTS = 40;
const FAR_PAGE = 2_000;
const FAR_PAGE_SIZE = 100;

/** A list, and the condition on its table that its total must agree with. */
interface Question {
  name: string;
  path: string;
  query: string;
  table: 'payment_links' | 'webhook_deliveries';
  condition: string;
}

/** The same questions to both practices; times are where both have an equal share of their rows. */
function questionsTo(practice: SeededPractice, endpointId: string): Question[] {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const location = practice.locationIds[1] ?? '';
  const links = (name: string, query: Record<string, string>, condition: string): Question => ({
    ...{ name, path: LINKS, query: new URLSearchParams(query).toString(), table: 'payment_links', condition },
  });
  const deliveries = (name: string, query: Record<string, string>, condition: string): Question => ({
    ...{ name: `deliveries: ${name}`, path: DELIVERIES, query: new URLSearchParams(query).toString() },
    ...{ table: 'webhook_deliveries', condition },
  });
  return [
    links('first page', {}, 'true'),
    ...['active', 'expired', 'paid', 'cancelled'].map((status) =>
      links(`status=${status}`, { status }, `status = '${status}'`),
    ),
    links('externalReference', { externalReference: 'visit-10' }, `external_reference = 'visit-10'`),
    links('externalReference of half', { externalReference: 'plan' }, `external_reference = 'plan'`),
    links('locationId', { locationId: location }, `location_id = '${location}'`),
    links(
      'locationId, status=paid',
      { locationId: location, status: 'paid' },
      `location_id = '${location}' and status = 'paid'`,
    ),
    links('createdAfter (a month ago)', { createdAfter: ago(30) }, `created_at >= '${ago(30)}'`),
    links('createdBefore (a month ago)', { createdBefore: ago(30) }, `created_at < '${ago(30)}'`),
    links('paidAfter (a month ago)', { paidAfter: ago(30) }, `paid_at >= '${ago(30)}'`),
    links('paidAfter (a year ago)', { paidAfter: ago(365) }, `paid_at >= '${ago(365)}'`),
    deliveries('first page', {}, 'true'),
    deliveries('endpointId', { endpointId }, `endpoint_id = '${endpointId}'`),
    ...['delivered', 'exhausted', 'pending'].map((status) =>
      deliveries(`status=${status}`, { status }, `status = '${status}'`),
    ),
    ...['payment_link.expired', 'ping'].map((type) => deliveries(`type=${type}`, { type }, `type = '${type}'`)),
    deliveries('since (a week ago)', { since: ago(7) }, `created_at >= '${ago(7)}'`),
  ];
}

/** A wrong answer would be measured as a fast one. @throws Error */
async function check(admin: pg.Pool, port: number, practice: SeededPractice, question: Question): Promise<number> {
  const { path, query, table, condition } = question;
  const reply = await fetch(`http://127.0.0.1:${port}${path}?${query}`, { headers: headersOf(practice) });
  const { data, totalCount } = (await reply.json()) as { data: unknown[]; totalCount: number };
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where practice_id = $1 and ${condition}`,
    [practice.id],
  );
  const expected = rows[0]?.count ?? 0;
  if (data.length > 0 && expected > 0 && totalCount === expected) return totalCount;
  throw new Error(`${path}?${query}: a page of ${data.length} rows of ${totalCount} in all; there are ${expected}`);
}

function headersOf(practice: SeededPractice) {
  return { Authorization: `Bearer ${practice.keys[0]}` };
}

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  const [small, large] = practices;
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  const urls = Array.from({ length: 2 * ENDPOINTS_EACH }, () => 'http://127.0.0.1:9/');
  const endpoints = await seedEndpoints(scene.admin, practices, urls);
  const endpointOf = (practice: SeededPractice) => endpoints.find((of) => of.practice_id === practice.id)?.id ?? '';
  say('making a million links and a million deliveries');
  await seedLinks(scene.admin, small, scaled(effort, SMALL), 0);
  await seedLinks(scene.admin, large, scaled(effort, LARGE), LARGE);
  await seedHistory(scene.admin, small, endpoints, scaled(effort, SMALL), 0);
  await seedHistory(scene.admin, large, endpoints, scaled(effort, LARGE), LARGE);
  // As autovacuum would within a minute.
  await scene.admin.query('analyze');
  await scene.admin.query('checkpoint');
  const [serve, load] = [await stage.start('serve', scene), stage.helper('load')];
  const p95 = async (practice: SeededPractice, path: string) => {
    const request: LoadRequest = { method: 'GET', path, headers: headersOf(practice) };
    const how = { connections: 1, addresses: 1, idempotent: false, expectStatus: 200, warmUpMs: 0 };
    const result = await load.call('putLoad', {
      ...{ ports: [serve.port], requests: [request], ...how, windowMs: WINDOW_MS, maxRequests: REQUESTS },
    });
    return percentile([...result.latencies], 95);
  };
  const compare = async (measured: () => Promise<number>, floor: () => Promise<number>) => {
    const [repetitions, floorTimes]: [number[], number[]] = [[], []];
    await floor();
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      floorTimes.push(await floor());
      repetitions.push(await measured());
    }
    return { repetitions, floorTimes };
  };
  const figures: Figure[] = [];
  const add = (
    name: string,
    { repetitions, floorTimes }: Awaited<ReturnType<typeof compare>>,
    what: string,
    limit: number,
  ) =>
    figures.push(
      figure('list', {
        ...{ name, unit: 'ms', better: 'lower', repetitions },
        floor: { what, repetitions: floorTimes },
        target: { of: 'ratio', is: 'at most', limit },
      }),
    );
  const largeQuestions = questionsTo(large, endpointOf(large));
  for (const [index, question] of questionsTo(small, endpointOf(small)).entries()) {
    const largeQuestion = largeQuestions[index] ?? question;
    const { name, path } = question;
    say(name);
    await check(scene.admin, serve.port, small, question);
    const total = await check(scene.admin, serve.port, large, largeQuestion);
    add(
      `p95 at a million: ${name}`,
      await compare(
        () => p95(large, `${path}?${largeQuestion.query}`),
        () => p95(small, `${path}?${question.query}`),
      ),
      'the same of a practice with ten thousand',
      2,
    );
    const lastPage = Math.ceil(total / FAR_PAGE_SIZE);
    const pages = [FAR_PAGE, lastPage].filter(
      (page, at) => page > 1 && page <= lastPage && (at === 1 || page < lastPage),
    );
    for (const page of pages) {
      const far = `${path}?${largeQuestion.query}&pageSize=${FAR_PAGE_SIZE}`;
      add(
        `p95 at a million: ${name}, ${page === lastPage ? 'last page' : `page ${page}`} of ${FAR_PAGE_SIZE}`,
        await compare(
          () => p95(large, `${far}&page=${page}`),
          () => p95(large, far),
        ),
        'the first page of the same',
        3,
      );
    }
  }
  return figures;
}

/** Lists of a practice with very many links and deliveries, against one with an ordinary number; near and far pages. */
export const list: Scenario = { name: 'list', run };
