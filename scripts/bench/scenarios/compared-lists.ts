import type { Measured } from '../figure.ts';
import type { LoadRequest } from '../processes/connection.ts';
import { type Bench, scaled } from '../scenario.ts';
import { type SeededPractice, seedPractices } from '../seed/seed.ts';
import type { Scene } from '../stage.ts';
import { percentile } from '../statistics.ts';

/* Requests of a practice with very many rows, compared with the same of a practice with an ordinary number. */

const SMALL = 1_000;
/** `ROWS=1000000` measures a million. */
const LARGE = Number(process.env.ROWS ?? 100_000);
/** Rows that every filter needs to find some. */
const FEWEST = 200;

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
export type Question = readonly [name: string, query: Record<string, string>, condition: string];

/** A list with its table, two practices, an API, a load generator, and the database behind them. */
type Comparison = Awaited<ReturnType<typeof prepareComparison>>;

/** Makes the rows of both practices, and starts an API. */
export async function prepareComparison(
  { stage, effort, say }: Bench,
  list: { path: string; table: 'payment_links' | 'webhook_deliveries' },
  seed: (scene: Scene, practice: SeededPractice, rows: { count: number; firstNumber: number }) => Promise<void>,
) {
  const scene = await stage.newScene();
  const [small, large] = await seedPractices(scene.admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  const rowsOf = (count: number) => Math.max(FEWEST, scaled(effort, count));
  await seed(scene, small, { count: rowsOf(SMALL), firstNumber: 0 });
  await seed(scene, large, { count: rowsOf(LARGE), firstNumber: SMALL });
  // As autovacuum would within a minute.
  await scene.admin.query('analyze');
  await scene.admin.query('checkpoint');
  const { port } = await stage.start('serve', scene);
  return { ...list, effort, say, scene, small, large, load: stage.helper('load'), port };
}

/** Returns the time so many days ago, at which both practices have an equal share of their rows. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

export function headersOf(practice: SeededPractice) {
  return { Authorization: `Bearer ${practice.keys[0]}` };
}

/** Compares each list, and its far pages with its first one. Both practices are asked the same questions. */
export async function compareLists(
  comparison: Comparison,
  questionsTo: (practice: SeededPractice) => readonly Question[] | Promise<readonly Question[]>,
): Promise<Measured[]> {
  const { path, say, small, large } = comparison;
  const addressOf = ([, query]: Question) => `${path}?${new URLSearchParams(query)}`;
  const figures: Measured[] = [];
  const largeQuestions = await questionsTo(large);
  for (const [index, question] of (await questionsTo(small)).entries()) {
    const largeQuestion = largeQuestions[index] ?? question;
    const [name] = question;
    say(name);
    await check(comparison, small, question[2], addressOf(question));
    const first = addressOf(largeQuestion);
    const total = await check(comparison, large, largeQuestion[2], first);
    const near = [small, get(small, addressOf(question))] as const;
    figures.push(await compareRequests(comparison, name, near, [large, get(large, first)]));
    const lastPage = Math.ceil(total / FAR_PAGE_SIZE);
    // A page in the middle costs the same in each list, so only the first list shows it.
    const pages = [...(index === 0 ? [FAR_PAGE] : []), lastPage].filter(
      (page, at, all) => page > 1 && page <= lastPage && all.indexOf(page) === at,
    );
    const far = `${first}&pageSize=${FAR_PAGE_SIZE}`;
    for (const page of pages) {
      const of = `${name}, ${page === lastPage ? 'last page' : `page ${page}`} of ${FAR_PAGE_SIZE}`;
      const near = [large, get(large, far)] as const;
      figures.push(await compareRequests(comparison, of, near, [large, get(large, `${far}&page=${page}`)]));
    }
  }
  return figures;
}

/** GET of one path again and again. */
export function get(practice: SeededPractice, path: string): LoadRequest[] {
  return [{ method: 'GET', path, headers: headersOf(practice) }];
}

/** Compares the p95 of requests, which take turns. Those of the same practice are pages of one list. */
export async function compareRequests(
  { effort, load, port }: Comparison,
  name: string,
  [floorPractice, floorRequests]: readonly [SeededPractice, LoadRequest[]],
  [practice, requests]: readonly [SeededPractice, LoadRequest[]],
  expectStatus = 200,
): Promise<Measured> {
  const p95 = async (requests: LoadRequest[]) => {
    const how = { connections: 1, addresses: 1, idempotent: false, expectStatus, warmUpMs: 0, windowMs: WINDOW_MS };
    const result = await load.call('putLoad', { ...{ port, requests, maxRequests: REQUESTS }, ...how });
    return percentile([...result.latencies], 95);
  };
  const [repetitions, floorTimes]: [number[], number[]] = [[], []];
  await p95(floorRequests);
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    floorTimes.push(await p95(floorRequests));
    repetitions.push(await p95(requests));
  }
  const what = floorPractice === practice ? 'the first page of the same' : 'the same of a small practice';
  return {
    ...{ name: `p95 ${AT_LARGE}: ${name}`, unit: 'ms', repetitions },
    floor: { what, repetitions: floorTimes },
    target: { of: 'difference', limit: LONGER_MS },
  };
}

/** A wrong answer would be measured as a fast one. @throws Error */
async function check(
  { scene, port, table }: Comparison,
  practice: SeededPractice,
  condition: string,
  address: string,
): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}${address}`, { headers: headersOf(practice) });
  const { data, totalCount } = (await reply.json()) as { data: unknown[]; totalCount: number };
  const { rows } = await scene.admin.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where practice_id = $1 and ${condition}`,
    [practice.id],
  );
  const expected = rows[0]?.count ?? 0;
  if (data.length > 0 && expected > 0 && totalCount === expected) return totalCount;
  throw new Error(`${address}: a list page of ${data.length} rows of ${totalCount}; there are ${expected}`);
}
