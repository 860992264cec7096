import { setTimeout as pause } from 'node:timers/promises';
import { type Request, send, Times } from './clients.ts';
import type { FilledPractice } from './fill.ts';

/* Reads of deliveries, by one client, in one practice after the other. */

const DELIVERIES = '/webhook-deliveries';
const PAGE_SIZE = 100;

/** Pause between two requests, so that the reader leaves processor time to the writers. */
const PAUSE_MS = 10;

/** One practice in so many is the largest one. */
const LARGEST_EVERY = 5;

interface ListPage {
  totalCount: number;
  data: { id: string }[];
}

/** Reads until the time is over. Times of the largest practice, the first, have names of their own. */
export async function read(port: number, practices: readonly FilledPractice[], forMs: number): Promise<Times> {
  const times = new Times();
  const untilMs = performance.now() + forMs;
  for (let round = 0; performance.now() < untilMs; round++) {
    const isLargest = round % LARGEST_EVERY === 0;
    const practice = practices[isLargest ? 0 : 1 + (round % (practices.length - 1))];
    if (practice === undefined) throw new Error('there are practices');
    await readAll(port, practice, (name, ms) => times.add(isLargest ? `${name}, largest practice` : name, ms));
  }
  return times;
}

/** Asks each question once. */
async function readAll(port: number, practice: FilledPractice, add: (name: string, ms: number) => void): Promise<void> {
  const ask = async (name: string, request: Request): Promise<string> => {
    const { status, body, ms } = await send(port, practice, request);
    if (status !== 200 && status !== 202) throw new Error(`${request.path} answered ${status}: ${body}`);
    add(name, ms);
    await pause(PAUSE_MS);
    return body;
  };
  const list = async (name: string, filter: Record<string, string>, page = 1): Promise<ListPage> => {
    const query = new URLSearchParams({ ...filter, pageSize: `${PAGE_SIZE}`, page: `${page}` });
    return JSON.parse(await ask(name, { path: `${DELIVERIES}?${query}` })) as ListPage;
  };
  const endpointId = practice.endpointIds[0] ?? '';
  const filters: [string, Record<string, string>][] = [
    ['all', {}],
    ['of an endpoint', { endpointId }],
    ['delivered', { status: 'delivered' }],
    ['exhausted', { status: 'exhausted' }],
    ['of a type', { type: 'payment_link.expired' }],
    ['of endpoint, status and type', { endpointId, status: 'delivered', type: 'payment_link.paid' }],
    ['since a week ago', { since: new Date(Date.now() - 7 * 86_400_000).toISOString() }],
  ];
  let deep: ListPage | null = null;
  for (const [name, filter] of filters) {
    const { totalCount } = await list(`first page, ${name}`, filter);
    const pages = Math.ceil(totalCount / PAGE_SIZE);
    if (pages < 3) continue;
    const found = await list(`middle page, ${name}`, filter, Math.ceil(pages / 2));
    deep ??= found;
    if (name === 'all') await list('last page, all', filter, pages);
  }
  const { data } = deep ?? (await list('first page, all', {}));
  const [one, another] = [data[0], data.at(-1)];
  if (one === undefined || another === undefined) return;
  const body = await ask('one delivery', { path: `${DELIVERIES}/${one.id}` });
  const { paymentLinkId } = JSON.parse(body) as { paymentLinkId: string };
  await list('first page, of a link', { paymentLinkId });
  await ask('redeliver', { method: 'POST', path: `${DELIVERIES}/${another.id}/redeliver` });
}
