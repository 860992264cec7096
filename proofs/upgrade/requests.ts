import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../test/harness/random.ts';
import { Caller } from '../trial/caller.ts';
import { startLoad } from '../trial/load.ts';
import type { ChaosPractice } from '../trial/setup.ts';
import type { Timeline } from '../trial/timeline.ts';

/** More links than a run creates. */
const LINKS = 1_000_000;

/** Interval between two rounds of reads. */
const READ_EVERY_MS = 100;

/** A read is sent once. */
const ONCE = { everyMs: 1, forMs: 1 };

/** A file that a hosted page loads, in its HTML. */
const FILE = /(?:src|href)="[^"]*(\/pay-assets\/[^"]+)"/g;

export type Requests = ReturnType<typeof startRequests>;

interface RequestOptions {
  /** Ports that get requests at present. */
  ports: number[];
  practices: ChaosPractice[];
  linksPerSecond: number;
  random: Random;
  /** Notes the moments of creates. */
  creates: Timeline;
}

/** Creates links, and reads links, deliveries and hosted pages. */
export function startRequests({ ports, practices, linksPerSecond, random, creates }: RequestOptions) {
  const spreadMs = (LINKS / linksPerSecond) * 1_000;
  const observeCreate = (status: number) => creates.record(status === 201);
  const load = startLoad({ ports, practices, links: LINKS, spreadMs, random, observeCreate });
  const reads = startReads(new Caller({ ports, random, retry: ONCE }), practices[0]?.testKey ?? '');
  return {
    load,
    reads,
    /** Resolves when all that was sent has its outcome. */
    async stop() {
      load.stop();
      await Promise.all([load.done, reads.stop()]);
    },
    /** Returns faults that nothing excuses, each as a sentence. */
    faults: () => [
      ...load.wrongAnswers.map((text) => `wrong answer: ${text}`),
      ...reads.wrongAnswers.map((text) => `failed read: ${text}`),
      ...Array<string>(load.failures.broken).fill('a request got no answer'),
    ],
  };
}

/** Reads again and again. A page comes from one API and its files from another, as in a browser behind a load balancer. */
function startReads(caller: Caller, key: string) {
  let [answered, isOver] = [0, false];
  const get = async (path: string) => {
    const headers: Record<string, string> = path.startsWith('/api/') ? { authorization: `Bearer ${key}` } : {};
    const answer = await caller.send({ method: 'GET', path, headers }, ({ status }) => status === 200);
    if (answer !== null) answered += 1;
    return answer?.text ?? null;
  };
  const readAll = async () => {
    const list = await get('/api/v1/payment-links?pageSize=5');
    const [link] = list === null ? [] : (JSON.parse(list) as { data: { id: string; url: string }[] }).data;
    await get('/api/v1/webhook-deliveries?pageSize=5');
    if (link === undefined) return;
    await get(`/api/v1/payment-links/${link.id}`);
    const page = await get(new URL(link.url).pathname);
    for (const [, path = ''] of page?.matchAll(FILE) ?? []) await get(path);
  };
  const loop = (async () => {
    while (!isOver) {
      await readAll();
      await pause(READ_EVERY_MS);
    }
  })();
  return {
    wrongAnswers: caller.wrongAnswers,
    answered: () => answered,
    async stop() {
      isOver = true;
      await loop;
    },
  };
}
