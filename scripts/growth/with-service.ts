import { setTimeout as pause } from 'node:timers/promises';
import { freePort, type ServiceProcess, startService } from '../bench/processes/service-process.ts';
import type { Query } from '../chaos/evidence.ts';
import { queryOn } from '../chaos/setup.ts';
import type { Say } from './bulk.ts';
import { type Line, startWriters, type Times } from './clients.ts';
import type { FilledPractice } from './fill.ts';
import type { Receiver } from './receiver.ts';

/* An API, a worker and writers on a filled database, and what writers and receivers see. */

/** A filled database, and who uses it. */
export interface ServedDatabase {
  url: string;
  practices: readonly FilledPractice[];
  receiver: Receiver;
  linksPerSecond: number;
  /** Folder for logs. */
  folder: string;
}

/** Times of writers and receivers during a part of the measurement. */
export interface Part {
  seconds: number;
  /** Requests that were answered by 503. */
  refused: number;
  lines: Line[];
}

/** Dependencies of a part of the measurement. */
export interface PartDependencies {
  port: number;
  metricsPort: number;
  query: Query;
  /** Runs a part, and shows and returns what writers and receivers saw in that time. */
  part(name: string, work: () => Promise<unknown>): Promise<Part>;
}

const WARM_UP_MS = 5_000;

/**
 * Runs work with an API, a worker and writers.
 *
 * @param environment further variables of the worker
 */
export async function withService(
  { url, folder, receiver, practices, linksPerSecond }: ServedDatabase,
  say: Say,
  work: (dependencies: PartDependencies) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const metricsPort = await freePort();
  const services: ServiceProcess[] = [];
  try {
    const startedMs = performance.now();
    services.push(await startService('worker', url, folder, { METRICS_PORT: `${metricsPort}`, ...environment }));
    say(`the worker was ready after ${(performance.now() - startedMs).toFixed(0)} ms`);
    const serve = await startService('serve', url, folder);
    services.push(serve);
    const writers = startWriters(serve.port, practices, linksPerSecond);
    const part: PartDependencies['part'] = async (name, work) => {
      writers.take();
      receiver.take();
      say(`— ${name}`);
      const startedMs = performance.now();
      await work();
      const times = writers.take();
      const seconds = (performance.now() - startedMs) / 1_000;
      const lines = [...times.lines(), ...receiver.take().lines()];
      say(`${seconds.toFixed(1)} s, refused: ${times.refused}`);
      for (const line of lines) say(textOf(line));
      return { seconds, refused: times.refused, lines };
    };
    try {
      await pause(WARM_UP_MS);
      await work({ port: serve.port, metricsPort, query: queryOn(url), part });
    } finally {
      await writers.stop();
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

/** Shows a line per name. */
export function show(say: Say, times: Times): void {
  for (const line of times.lines()) say(textOf(line));
}

function textOf({ name, count, p50Ms, p99Ms, longestMs }: Line): string {
  return `${name}: p50 ${p50Ms}, p99 ${p99Ms}, longest ${longestMs} ms (${count})`;
}

/** Returns a size in whole megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
