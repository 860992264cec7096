import type { MikroORM } from '@mikro-orm/postgresql';
import { readCommit, VERSION } from '../base/log/version.ts';
import type { Scope } from '../base/scope.ts';
import type { Readiness } from '../database/readiness.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { addReadinessMetrics, type Component, createProcessMetrics } from './process-metrics.ts';
import { type MetricsServer, serveMetrics } from './server.ts';

export interface MetricsOptions {
  component: Component;
  orm: MikroORM;
  newScope: () => Scope;
  readiness: Readiness;
  /** Cell of the process, the label `cell` of all metrics; null for no label. */
  cell: string | null;
  port: number;
  host: string;
}

/** Starts to count, and serves the metrics of the process. A worker also serves those of the database. */
export async function startMetrics(options: MetricsOptions): Promise<MetricsServer> {
  const { component, orm, newScope, readiness, cell, port, host } = options;
  const registry = createProcessMetrics(component, { version: VERSION, commit: readCommit() }, async () => {
    const {
      totalCount: total,
      idleCount: idle,
      waitingCount: waiting,
    } = await orm.em.getConnection().getNativeClient();
    return { total, idle, waiting };
  });
  addReadinessMetrics(registry, readiness);
  if (cell !== null) registry.setDefaultLabels({ cell });
  const refresh = component === 'worker' ? addDatabaseMetrics(registry, newScope) : async () => undefined;
  return serveMetrics({ registry, refresh, requireReady: () => readiness.require() }, port, host);
}
