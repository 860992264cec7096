import type { MikroORM } from '@mikro-orm/postgresql';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { RequestState } from '../../http/context.ts';
import { healthRoutes } from '../../http/health.ts';
import { listen, type RunningServer } from '../../http/server.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Readiness } from '../../platform/database/readiness.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { addReadinessMetrics, type Component, createProcessMetrics } from './process-metrics.ts';

interface MetricsSources {
  registry: Registry;
  /** Reads metrics that are not kept in the process. Never throws. */
  refresh: () => Promise<void>;
  readiness: Pick<Readiness, 'report'>;
}

/** A scrape is one short request, and the reading of the database takes less than `silenceMs`. The end of the process waits for none. */
const TIMEOUTS = { headersMs: 5_000, requestMs: 5_000, checkMs: 1_000, silenceMs: 30_000, closeMs: 0 };

/** Serves Prometheus's `/metrics`, `/healthz` and `/readyz`, without keys and limits, for the operator's network. @throws as `listen` */
export function serveMetrics(sources: MetricsSources, port: number, host: string): Promise<RunningServer> {
  const { registry, refresh, readiness } = sources;
  const app = new Koa<RequestState>();
  // Koa would print the error of a metric that cannot be read.
  app.silent = true;
  const routes = healthRoutes(readiness);
  routes.get('/metrics', async (ctx) => {
    await refresh();
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  });
  app.use((ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });
  app.use(routes.routes());
  return listen(app, port, host, TIMEOUTS);
}

interface MetricsOptions {
  component: Component;
  orm: MikroORM;
  newScope: () => Scope;
  readiness: Readiness;
}

/** Starts to count, and serves the metrics of the process. A worker also serves the metrics of the database. */
export function startMetrics(options: MetricsOptions, port: number, host: string): Promise<RunningServer> {
  const { component, orm, newScope, readiness } = options;
  const registry = createProcessMetrics(component, () => orm.em.getConnection().getNativeClient());
  addReadinessMetrics(registry, readiness);
  const refresh = component === 'worker' ? addDatabaseMetrics(registry, newScope) : async () => undefined;
  return serveMetrics({ registry, refresh, readiness }, port, host);
}
