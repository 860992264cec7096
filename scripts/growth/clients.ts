import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createBody } from '../bench/seed/sample-data.ts';
import { percentile } from '../bench/statistics.ts';
import type { FilledPractice } from './fill.ts';

/* Clients of the API on this machine: writers at a steady rate, and what they measure. */

/** Times in milliseconds by the name of what took them. */
export class Times {
  readonly #times = new Map<string, number[]>();
  refused = 0;

  add(name: string, ms: number): void {
    const times = this.#times.get(name);
    if (times === undefined) this.#times.set(name, [ms]);
    else times.push(ms);
  }

  /** Returns a line per name: number, p50, p99 and longest. */
  lines(): Line[] {
    return [...this.#times].map(([name, times]) => ({
      name,
      count: times.length,
      p50Ms: rounded(percentile(times, 50)),
      p99Ms: rounded(percentile(times, 99)),
      longestMs: rounded(Math.max(...times)),
    }));
  }
}

/** The times of one name in short. */
export interface Line {
  name: string;
  count: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(3));
}

/** A request of a practice. */
export interface Request {
  method?: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** An answer with its time, from the request to the last byte. */
export interface Answer {
  status: number;
  body: string;
  ms: number;
}

/** Sends a request with the first key of the practice. */
export async function send(port: number, practice: FilledPractice, request: Request): Promise<Answer> {
  const { method = 'GET', path, body } = request;
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${practice.keys[0]}`,
      ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text, ms: performance.now() - startedMs };
}

/** Writers that work until they are stopped. */
export interface Writers {
  /** Returns the times since the last call. @throws the error of a writer that failed */
  take(): Times;
  stop(): Promise<void>;
}

/** Clients at once. */
const WRITERS = 4;

/**
 * Starts clients that create links and cancel them, each in another practice. Each cancel publishes an event to the three
 * endpoints of its practice.
 *
 * @param perSecond links per second, of all clients together
 */
export function startWriters(port: number, practices: readonly FilledPractice[], perSecond: number): Writers {
  let times = new Times();
  let isStopped = false;
  let failure: unknown = null;
  let next = 0;
  const write = async (practice: FilledPractice): Promise<void> => {
    const request = {
      method: 'POST',
      path: '/payment-links',
      body: createBody(practice.locationIds[0] ?? ''),
    } as const;
    const created = await send(port, practice, request);
    if (created.status !== 201) return refuse(created);
    times.add('create a link', created.ms);
    const { id } = JSON.parse(created.body) as { id: string };
    const cancelled = await send(port, practice, { method: 'POST', path: `/payment-links/${id}/cancel` });
    if (cancelled.status !== 200) return refuse(cancelled);
    times.add('cancel a link', cancelled.ms);
  };
  const refuse = ({ status, body }: Answer): void => {
    if (status !== 503) throw new Error(`answered ${status}: ${body}`);
    times.refused++;
  };
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const startedMs = performance.now();
      const practice = practices[next++ % practices.length];
      if (practice !== undefined) await write(practice);
      await pause(Math.max(0, (WRITERS * 1_000) / perSecond - (performance.now() - startedMs)));
    }
  };
  const clients = Array.from({ length: WRITERS }, client);
  for (const each of clients) {
    each.catch((error: unknown) => {
      failure = error;
    });
  }
  return {
    take() {
      if (failure !== null) throw failure;
      const taken = times;
      times = new Times();
      return taken;
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
