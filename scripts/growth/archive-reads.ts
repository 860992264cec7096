import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '../chaos/evidence.ts';
import { send, Times } from './clients.ts';
import type { FilledPractice } from './fill.ts';

/* Reads of links by one client, in one practice after the other. */

const PAGE_SIZE = 100;

/** Pause between two requests, so that the reader leaves processor time to the writers. */
const PAUSE_MS = 5;

/** One practice in so many is the largest one. */
const LARGEST_EVERY = 5;

/** An id that no link has. */
const UNKNOWN = `plink_${'0'.repeat(26)}`;

interface ListPage {
  totalCount: number;
}

/**
 * Reads until the time is over. Times of the largest practice, the first, have names of their own.
 *
 * @param due links that were closed before are archived, or will be
 */
export async function readLinks(
  port: number,
  query: Query,
  practices: readonly FilledPractice[],
  due: Date,
  forMs: number,
): Promise<Times> {
  const samples = await sampleLinks(query, due);
  const times = new Times();
  const untilMs = performance.now() + forMs;
  for (let round = 0; performance.now() < untilMs; round++) {
    const isLargest = round % LARGEST_EVERY === 0;
    const practice = practices[isLargest ? 0 : 1 + (round % (practices.length - 1))];
    if (practice === undefined) throw new Error('there are practices');
    const ask = async (name: string, path: string, expected = 200): Promise<string> => {
      const { status, body, ms } = await send(port, practice, { path: `/payment-links${path}` });
      if (status !== expected) throw new Error(`${path} answered ${status}: ${body}`);
      times.add(isLargest ? `${name}, largest practice` : name, ms);
      await pause(PAUSE_MS);
      return body;
    };
    const list = async (name: string, filter: Record<string, string>, page = 1): Promise<ListPage> =>
      JSON.parse(await ask(name, `?${new URLSearchParams({ ...filter, pageSize: `${PAGE_SIZE}`, page: `${page}` })}`));
    const { old, young } = samples.get(practice.id) ?? { old: [], young: [] };
    const [oldId, youngId] = [old[round % old.length], young[round % young.length]];
    if (oldId !== undefined) await ask('a link that is due', `/${oldId}`);
    if (youngId !== undefined) await ask('a younger link', `/${youngId}`);
    await ask('an id that does not exist', `/${UNKNOWN}`, 404);
    const { totalCount } = await list('first page: all', {});
    await list('first page: paid', { status: 'paid' });
    await list('first page: of half a year ago', { createdBefore: due.toISOString() });
    await list('last page: all', {}, Math.max(1, Math.ceil(totalCount / PAGE_SIZE)));
  }
  return times;
}

/** Returns ids of closed links by practice: some that are due for the archive, and some that are not. */
async function sampleLinks(query: Query, due: Date): Promise<Map<string, { old: string[]; young: string[] }>> {
  const rows = await query<{ id: string; old: string[]; young: string[] }>(
    `select p.id,
       array(select id from payment_links l where l.practice_id = p.id and not test and closed_at < $1
         order by closed_at desc limit 200) as old,
       array(select id from payment_links l where l.practice_id = p.id and not test and closed_at >= $1
         order by closed_at limit 200) as young
     from practices p`,
    [due],
  );
  return new Map(rows.map(({ id, old, young }) => [id, { old, young }]));
}
