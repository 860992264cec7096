import { type Figure, figure } from '../figure.ts';
import type { LoadRequest } from '../processes/http-load.ts';
import type { SeededOwner } from '../seed/console.ts';
import { AT_LARGE, type Comparison, measureBoth, REQUESTS } from './compared-lists.ts';

/* Pages of the console of a practice with very many rows, compared with the same of a practice with an ordinary number. */

/** Most milliseconds of a page, and most kilobytes. */
const LIMIT_MS = 100;
const LIMIT_KB = 100;

/** A download is read a few times only, because it is long. */
const DOWNLOADS = 2;

/** A page of the console. */
export interface Page {
  name: string;
  /** Paths below the practice, which are requested one after the other. */
  paths: readonly string[];
  /** Text on the page of the larger practice. An empty list would be measured as a fast one. */
  has: string;
}

/** A practice with a signed-in owner, and the pages to request. */
export interface Visited {
  owner: SeededOwner;
  pages: readonly Page[];
}

/** Compares each page: its time, and its size. Both practices have the same pages. */
export async function comparePages(comparison: Comparison, small: Visited, large: Visited): Promise<Figure[]> {
  const { scenario, effort, port, say } = comparison;
  // One repetition of each, because there are many pages.
  const once = { ...comparison, effort: { ...effort, repetitions: 1 } };
  const figures: Figure[] = [];
  for (const [index, page] of small.pages.entries()) {
    const largePage = large.pages[index] ?? page;
    say(page.name);
    const floorKb = await largestKb(port, small.owner, page);
    const kb = await largestKb(port, large.owner, largePage, largePage.has);
    const { repetitions, floorTimes } = await measureBoth(
      once,
      requestsOf(small.owner, page, index),
      requestsOf(large.owner, largePage, index),
    );
    const what = 'the same of a small practice';
    figures.push(
      figure(scenario, {
        ...{ name: `console, p95 ${AT_LARGE}: ${page.name}`, unit: 'ms', better: 'lower', repetitions },
        floor: { what, repetitions: floorTimes },
        target: { of: 'value', is: 'at most', limit: LIMIT_MS },
      }),
      figure(scenario, {
        ...{ name: `console, size: ${page.name}`, unit: 'kB', better: 'lower', repetitions: [kb] },
        floor: { what, repetitions: [floorKb] },
        target: { of: 'value', is: 'at most', limit: LIMIT_KB },
      }),
    );
  }
  return figures;
}

/** Measures how fast a client gets a file. */
export async function measureDownload(
  { scenario, port, say }: Comparison,
  { owner }: Visited,
  { name, path }: { name: string; path: string },
): Promise<Figure> {
  say(name);
  const repetitions: number[] = [];
  for (let download = 1; download <= DOWNLOADS; download++) {
    const startedMs = performance.now();
    const text = await textOf(port, owner, path);
    repetitions.push(Buffer.byteLength(text) / 1000 / ((performance.now() - startedMs) / 1000));
  }
  return figure(scenario, { name: `console: ${name}`, unit: 'kB/s', better: 'higher', repetitions });
}

/** Each request has an address of its own, as a proxy would report it, because the console limits those of one address. */
function requestsOf(owner: SeededOwner, { paths }: Page, pageIndex: number): LoadRequest[] {
  return Array.from({ length: REQUESTS }, (_, index) => ({
    method: 'GET',
    path: pathOf(owner, paths[index % paths.length] ?? ''),
    headers: headersOf(owner, `10.1.${pageIndex}.${index}`),
  }));
}

function pathOf({ practiceId }: SeededOwner, path: string): string {
  return `/console/${practiceId}${path}`;
}

function headersOf({ cookie }: SeededOwner, address: string): Record<string, string> {
  return { Cookie: cookie, 'X-Forwarded-For': address, 'Accept-Language': 'en', 'User-Agent': 'bench' };
}

/** Returns the size of the largest page in kilobytes. */
async function largestKb(port: number, owner: SeededOwner, { paths }: Page, has = ''): Promise<number> {
  const sizes: number[] = [];
  for (const path of paths) {
    const text = await textOf(port, owner, path);
    if (!text.includes(has)) throw new Error(`${path} has no ${has}`);
    sizes.push(Buffer.byteLength(text) / 1000);
  }
  return Math.max(...sizes);
}

async function textOf(port: number, owner: SeededOwner, path: string): Promise<string> {
  const headers = headersOf(owner, '10.1.255.1');
  const reply = await fetch(`http://127.0.0.1:${port}${pathOf(owner, path)}`, { headers, redirect: 'manual' });
  if (reply.status !== 200) throw new Error(`${path}: answered ${reply.status}`);
  return reply.text();
}
