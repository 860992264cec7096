import type pg from 'pg';
import { type Figure, figure } from '../figure.ts';
import type { LoadRequest } from '../processes/connection.ts';
import { type Bench, type Effort, scaled } from '../scenario.ts';
import type { SeededPractice } from '../seed/seed.ts';
import type { Helpers, Scene } from '../stage.ts';
import { percentile } from '../statistics.ts';

/* Requests of a practice with very many rows, compared with the same of a practice with an ordinary number. */

export const SMALL = 1_000;
/** `ROWS=1000000` measures a million. */
export const LARGE = Number(process.env.ROWS ?? 100_000);
/** Rows that every filter needs to find some. */
const FEWEST = 200;

/** Returns the rows of a practice, reduced by the share of the effort. */
export function rowsOf(effort: Effort, count: number): number {
  return Math.max(FEWEST, scaled(effort, count));
}

/** The larger number in the names of figures. */
const AT_LARGE = `at ${LARGE.toLocaleString('en-US')}`;
/** Milliseconds that a list of the larger practice may take longer, and a far page of it than its first one. */
const LONGER_MS = 50;

/** Slow answers end a repetition by time, fast ones by number. */
const WINDOW_MS = 1_000;
const REQUESTS = 30;
const FAR_PAGE = 500;
const FAR_PAGE_SIZE = 100;

/** A list, and the condition on its table that its total must agree with. */
export interface Question {
  name: string;
  path: string;
  query: string;
  table: 'payment_links' | 'webhook_deliveries';
  condition: string;
}

/** Dependencies of a comparison: an API, a load generator, and the database behind them. */
export interface Comparison {
  scenario: string;
  effort: Effort;
  scene: Scene;
  load: Helpers['load'];
  port: number;
  say: Bench['say'];
}

export function headersOf(practice: SeededPractice) {
  return { Authorization: `Bearer ${practice.keys[0]}` };
}

/** Compares each list, and its far pages with its first one. Both practices are asked the same questions. */
export async function compareLists(
  comparison: Comparison,
  [small, smallQuestions]: readonly [SeededPractice, readonly Question[]],
  [large, largeQuestions]: readonly [SeededPractice, readonly Question[]],
): Promise<Figure[]> {
  const { scene, port, say } = comparison;
  const figures: Figure[] = [];
  for (const [index, question] of smallQuestions.entries()) {
    const largeQuestion = largeQuestions[index] ?? question;
    const { name, path } = question;
    say(name);
    await check(scene.admin, port, small, question);
    const total = await check(scene.admin, port, large, largeQuestion);
    const first = `${path}?${largeQuestion.query}`;
    figures.push(
      await compareRequests(
        comparison,
        name,
        [small, get(small, `${path}?${question.query}`)],
        [large, get(large, first)],
      ),
    );
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
  { scenario, effort, load, port }: Comparison,
  name: string,
  [floorPractice, floorRequests]: readonly [SeededPractice, LoadRequest[]],
  [practice, requests]: readonly [SeededPractice, LoadRequest[]],
  expectStatus = 200,
): Promise<Figure> {
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
  return figure(scenario, {
    ...{ name: `p95 ${AT_LARGE}: ${name}`, unit: 'ms', better: 'lower', repetitions },
    floor: { what, repetitions: floorTimes },
    target: { of: 'difference', is: 'at most', limit: LONGER_MS },
  });
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
  throw new Error(`${path}?${query}: a list page of ${data.length} rows of ${totalCount}; there are ${expected}`);
}
