import type pg from 'pg';
import { figure } from '../figure.ts';
import type { LoadRequest } from '../http-load.ts';
import { type Bench, type Scenario, scaled } from '../scenario.ts';
import { type SeededPractice, seedLinks, seedPractices } from '../seed.ts';
import { percentile } from '../statistics.ts';

const PATH = '/api/v1/payment-links';
const SMALL = 10_000;
const LARGE = 1_000_000;
/** Slow pages end a repetition by time, fast ones by number. */
const WINDOW_MS = 1_500;
const REQUESTS = 40;

/** A list, and the condition on `payment_links` that its total must agree with. */
interface Question {
  name: string;
  query: string;
  condition: string;
}

/** The same questions to both practices; times are where both have an equal share of their links. */
function questionsTo(practice: SeededPractice): Question[] {
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const location = practice.locationIds[1] ?? '';
  return [
    { name: 'first page', query: '', condition: 'true' },
    ...['active', 'expired', 'paid'].map((status) => ({
      ...{ name: `status=${status}`, query: `status=${status}`, condition: `status = '${status}'` },
    })),
    {
      name: 'externalReference',
      query: 'externalReference=visit-1000',
      condition: `external_reference = 'visit-1000'`,
    },
    { name: 'locationId', query: `locationId=${location}`, condition: `location_id = '${location}'` },
    ...[
      { name: 'createdAfter', condition: `created_at >= '${monthAgo}'` },
      { name: 'createdBefore', condition: `created_at < '${monthAgo}'` },
      { name: 'paidAfter', condition: `paid_at >= '${monthAgo}'` },
    ].map(({ name, condition }) => ({
      ...{ name: `${name} (a month ago)`, query: `${name}=${encodeURIComponent(monthAgo)}`, condition },
    })),
    { name: 'page 1,000 of 10 links', query: 'page=1000&pageSize=10', condition: 'true' },
  ];
}

/** A wrong answer would be measured as a fast one. @throws Error */
async function check(admin: pg.Pool, port: number, practice: SeededPractice, { query, condition }: Question) {
  const reply = await fetch(`http://127.0.0.1:${port}${PATH}?${query}`, { headers: headersOf(practice) });
  const { data, totalCount } = (await reply.json()) as { data: unknown[]; totalCount: number };
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::integer as count from payment_links where practice_id = $1 and ${condition}`,
    [practice.id],
  );
  const expected = rows[0]?.count ?? 0;
  if (data.length > 0 && expected > 0 && totalCount === expected) return;
  throw new Error(`${query}: a page of ${data.length} links of ${totalCount} in all; there are ${expected}`);
}

function headersOf(practice: SeededPractice) {
  return { Authorization: `Bearer ${practice.keys[0]}` };
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
  const p95 = async (practice: SeededPractice, { query }: Question) => {
    const request: LoadRequest = { method: 'GET', path: `${PATH}?${query}`, headers: headersOf(practice) };
    const how = { connections: 1, addresses: 1, idempotent: false, expectStatus: 200, warmUpMs: 0 };
    const result = await load.call('putLoad', {
      ...{ ports: [serve.port], requests: [request], ...how, windowMs: WINDOW_MS, maxRequests: REQUESTS },
    });
    return percentile([...result.latencies], 95);
  };
  const figures = [];
  const largeQuestions = questionsTo(large);
  for (const [index, question] of questionsTo(small).entries()) {
    const largeQuestion = largeQuestions[index] ?? question;
    const { name } = question;
    await check(scene.admin, serve.port, small, question);
    await check(scene.admin, serve.port, large, largeQuestion);
    const [times, floorTimes]: [number[], number[]] = [[], []];
    await p95(small, question);
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      floorTimes.push(await p95(small, question));
      times.push(await p95(large, largeQuestion));
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
