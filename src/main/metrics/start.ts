import type { MikroORM } from '@mikro-orm/postgresql';
import type { RunningServer } from '../../http/server.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Readiness } from '../../platform/database/readiness.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { addReadinessMetrics, type Component, createProcessMetrics } from './process-metrics.ts';
import { serveMetrics } from './server.ts';

export interface MetricsOptions {
  component: Component;
  orm: MikroORM;
  newScope: () => Scope;
  readiness: Readiness;
  port: number;
  host: string;
}

/** Starts to count, and serves the metrics of the process. A worker also serves the metrics of the database. */
export async function startMetrics(options: MetricsOptions): Promise<RunningServer> {
  const { component, orm, newScope, readiness, port, host } = options;
  const registry = createProcessMetrics(component, () => orm.em.getConnection().getNativeClient());
  addReadinessMetrics(registry, readiness);
  const refresh = component === 'worker' ? addDatabaseMetrics(registry, newScope) : async () => undefined;
  return serveMetrics({ registry, refresh, readiness }, port, host);
}
