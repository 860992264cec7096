import { Registry } from 'prom-client';
import { addDatabaseMetrics } from '../../src/main/metrics/database-metrics.ts';
import { type Component, createProcessMetrics } from '../../src/main/metrics/process-metrics.ts';
import type { Readiness } from '../../src/platform/database/readiness.ts';
import type { TestService } from '../harness/service.ts';

/** Values of a registry, by name and labels as in Prometheus's text format. */
export type Values = Record<string, number>;

/** Counts what this process reports from now on, with the service and the jobs of a test in it. */
export class Counters {
  readonly #registry: Registry;

  constructor(component: Component) {
    this.#registry = createProcessMetrics(component, async () => ({
      totalCount: 0,
      idleCount: 0,
      waitingCount: 0,
    }));
  }

  /** Runs an action and returns how much the counters of these names have grown, without those that have not. */
  async growth(names: readonly string[], action: () => Promise<unknown>): Promise<Values> {
    const before = await valuesOf(this.#registry, names);
    await action();
    const after = await valuesOf(this.#registry, names);
    const grown = Object.entries(after).map(([name, value]): [string, number] => [name, value - (before[name] ?? 0)]);
    return Object.fromEntries(grown.filter(([, value]) => value !== 0));
  }
}

/** Readiness of a process that is ready. */
export const READY: Readiness = {
  report: async () => ({ reasons: {}, clockOffsetSeconds: 0, unusableKeys: [] }),
  stop: () => undefined,
};

/** Returns the present values of a metric of the database. */
export async function databaseValues(service: TestService, name: string): Promise<Values> {
  const registry = new Registry();
  await addDatabaseMetrics(registry, () => service.scope())();
  return valuesOf(registry, [name]);
}

async function valuesOf(registry: Registry, names: readonly string[]): Promise<Values> {
  const lines = (await registry.metrics()).split('\n').filter((line) => names.some((name) => startsWith(line, name)));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(line.indexOf('{') + 1, end).replace(/\}$/, ''), Number(line.slice(end))];
    }),
  );
}

function startsWith(line: string, name: string): boolean {
  return line.startsWith(`${name}{`) || line.startsWith(`${name} `);
}
