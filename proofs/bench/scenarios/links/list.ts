import type pg from 'pg';
import type { Measured } from '../../figure.ts';
import { type Bench, scaled } from '../../scenario.ts';
import { seedHistory, seedLinks } from '../../seed/lists.ts';
import { type SeededPractice, seedEndpoints, seedPractices } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';
import { comparePayments } from './payments.ts';

/* Lists of a practice with very many rows, compared with the same of a practice with an ordinary number. */

const SMALL = 1_000;
/** `ROWS=1000000` measures a million. */
const LARGE = Number(process.env.ROWS ?? 100_000);
/** Rows that every filter needs to find some. */
const FEWEST = 200;
const ENDPOINTS_EACH = 3;

/** The larger number in the names of figures. */
const AT_LARGE = `at ${LARGE.toLocaleString('en-US')}`;
/** Milliseconds that a list of the larger practice may take longer, and a far page of it than its first one. */
const LONGER_MS = 50;

/** Slow answers end a repetition by time, fast ones by number. */
const WINDOW_MS = 1_000;
const REQUESTS = 30;
const FAR_PAGE = 500;
const FAR_PAGE_SIZE = 100;

/** The query of a list, and the condition on its table that its total must agree with. */
type Question = readonly [name: string, query: Record<string, string>, condition: string];

interface List {
  path: string;
  table: 'payment_links' | 'webhook_deliveries';
  /** Inserts rows, of which the first one has this number. */
  seed(admin: pg.Pool, practice: SeededPractice, rows: { count: number; firstNumber: number }): Promise<void>;
  questionsTo(admin: pg.Pool, practice: SeededPractice): Promise<readonly Question[]>;
}

const LINKS: List = {
  path: '/api/v1/payment-links',
  table: 'payment_links',
  seed: seedLinks,
  async questionsTo(_, { locationIds: [, locationId = ''] }) {
    const [month, year] = [daysAgo(30), daysAgo(365)];
    const atLocation = `location_id = '${locationId}'`;
    return [
      ['first page', {}, 'true'],
      ...['active', 'expired', 'paid', 'cancelled'].map(
        (status): Question => [`status=${status}`, { status }, `status = '${status}'`],
      ),
      ['externalReference', { externalReference: 'visit-10' }, `external_reference = 'visit-10'`],
      ['externalReference of half', { externalReference: 'plan' }, `external_reference = 'plan'`],
      ['locationId', { locationId }, atLocation],
      ['locationId, status=paid', { locationId, status: 'paid' }, `${atLocation} and status = 'paid'`],
      ['createdAfter (a month ago)', { createdAfter: month }, `created_at >= '${month}'`],
      ['createdBefore (a month ago)', { createdBefore: month }, `created_at < '${month}'`],
      ['paidAfter (a month ago)', { paidAfter: month }, `paid_at >= '${month}'`],
      ['paidAfter (a year ago)', { paidAfter: year }, `paid_at >= '${year}'`],
    ];
  },
};

const DELIVERIES: List = {
  path: '/api/v1/webhook-deliveries',
  table: 'webhook_deliveries',
  async seed(admin, practice, rows) {
    const urls = Array.from({ length: ENDPOINTS_EACH }, () => 'http://127.0.0.1:9/');
    await seedHistory(admin, practice, await seedEndpoints(admin, [practice], urls), rows);
  },
  async questionsTo(admin, { id }) {
    const { rows } = await admin.query<{ endpointId: string; paymentLinkId: string }>(
      `select endpoint_id as "endpointId", payment_link_id as "paymentLinkId" from webhook_deliveries
       where practice_id = $1 and payment_link_id is not null order by md5(id) limit 1`,
      [id],
    );
    const [{ endpointId, paymentLinkId } = { endpointId: '', paymentLinkId: '' }] = rows;
    const week = daysAgo(7);
    const [atEndpoint, type] = [`endpoint_id = '${endpointId}'`, 'payment_link.paid'];
    return [
      ['first page', {}, 'true'],
      ['endpointId', { endpointId }, atEndpoint],
      ...['delivered', 'exhausted', 'pending'].map(
        (status): Question => [`status=${status}`, { status }, `status = '${status}'`],
      ),
      ...[type, 'payment_link.expired', 'ping'].map((type): Question => [`type=${type}`, { type }, `type = '${type}'`]),
      [
        'endpointId, status=delivered, type=payment_link.paid',
        { endpointId, status: 'delivered', type },
        `${atEndpoint} and status = 'delivered' and type = '${type}'`,
      ],
      ['paymentLinkId', { paymentLinkId }, `payment_link_id = '${paymentLinkId}'`],
      ['since (a week ago)', { since: week }, `created_at >= '${week}'`],
    ];
  },
};

/** Lists of links and of deliveries by each filter; near and far pages. Payments by a rare method. */
export async function list(bench: Bench) {
  return [
    ...(await compareLists(bench, 'links', LINKS)),
    ...(await compareLists(bench, 'deliveries', DELIVERIES)),
    ...(await comparePayments(bench)),
  ];
}

/** Compares each list of the larger practice with that of the smaller one, and far pages with the first one. */
async function compareLists(bench: Bench, of: string, list: List): Promise<Measured[]> {
  const { stage, effort, say } = bench;
  const scene = await stage.newScene();
  const { admin } = scene;
  const [small, large] = await seedPractices(admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  const rowsOf = (count: number) => Math.max(FEWEST, scaled(effort, count));
  await list.seed(admin, small, { count: rowsOf(SMALL), firstNumber: 0 });
  await list.seed(admin, large, { count: rowsOf(LARGE), firstNumber: SMALL });
  // As autovacuum would within a minute.
  await admin.query('analyze');
  await admin.query('checkpoint');
  const { port } = await stage.start('serve', scene);
  const load = stage.helper('load');
  const p95Of = async (practice: SeededPractice, path: string) => {
    const how = { connections: 1, addresses: 1, idempotent: false, expectStatus: 200, warmUpMs: 0 };
    const requests = [{ method: 'GET' as const, path, headers: headersOf(practice) }];
    const times = { windowMs: WINDOW_MS, maxRequests: REQUESTS };
    return percentile([...(await load.call('putLoad', { port, requests, ...how, ...times })).latencies], 95);
  };
  /** Both take turns. */
  const compare = async (name: string, what: string, floor: () => Promise<number>, measured: () => Promise<number>) => {
    const [repetitions, floorTimes]: [number[], number[]] = [[], []];
    await floor();
    for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
      floorTimes.push(await floor());
      repetitions.push(await measured());
    }
    return {
      ...{ name: `p95 ${AT_LARGE} ${of}: ${name}`, unit: 'ms', repetitions },
      floor: { what, repetitions: floorTimes },
      target: { of: 'difference', limit: LONGER_MS } as const,
    };
  };
  /** Returns the list's total. A wrong answer would be measured as a fast one. @throws Error */
  const check = async (practice: SeededPractice, condition: string, address: string): Promise<number> => {
    const reply = await fetch(`http://127.0.0.1:${port}${address}`, { headers: headersOf(practice) });
    const { data, totalCount } = (await reply.json()) as { data: unknown[]; totalCount: number };
    const { rows } = await admin.query<{ count: number }>(
      `select count(*)::integer as count from ${list.table} where practice_id = $1 and ${condition}`,
      [practice.id],
    );
    const expected = rows[0]?.count ?? 0;
    if (data.length > 0 && expected > 0 && totalCount === expected) return totalCount;
    throw new Error(`${address}: a list page of ${data.length} rows of ${totalCount}; there are ${expected}`);
  };
  const figures: Measured[] = [];
  const addressOf = (query: Record<string, string>) => `${list.path}?${new URLSearchParams(query)}`;
  const largeQuestions = await list.questionsTo(admin, large);
  for (const [index, [name, query, condition]] of (await list.questionsTo(admin, small)).entries()) {
    say(`${of}: ${name}`);
    const [, largeQuery, largeCondition] = largeQuestions[index] ?? ['', query, condition];
    const [near, first] = [addressOf(query), addressOf(largeQuery)];
    await check(small, condition, near);
    const total = await check(large, largeCondition, first);
    const asked = [() => p95Of(small, near), () => p95Of(large, first)] as const;
    figures.push(await compare(name, 'the same of a small practice', ...asked));
    const lastPage = Math.ceil(total / FAR_PAGE_SIZE);
    // A page in the middle costs the same in each list, so only the first list shows it.
    const pages = new Set([...(index === 0 ? [FAR_PAGE] : []), lastPage]);
    const far = `${first}&pageSize=${FAR_PAGE_SIZE}`;
    for (const page of [...pages].filter((page) => page > 1 && page <= lastPage)) {
      const which = `${name}, ${page === lastPage ? 'last page' : `page ${page}`} of ${FAR_PAGE_SIZE}`;
      const pair = [() => p95Of(large, far), () => p95Of(large, `${far}&page=${page}`)] as const;
      figures.push(await compare(which, 'the first page of the same', ...pair));
    }
  }
  await stage.clear();
  return figures;
}

/** Returns the time so many days ago, at which both practices have an equal share of their rows. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

function headersOf(practice: SeededPractice) {
  return { Authorization: `Bearer ${practice.keys[0]}` };
}
