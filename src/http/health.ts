import Router from '@koa/router';
import type { Readiness } from '../platform/database/readiness.ts';
import type { RequestState } from './context.ts';

/** Health checks for an orchestrator. They need no key and have no limits. */
export function healthRoutes(readiness: Pick<Readiness, 'report'>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  // Liveness: the process answers. An unavailable database is no reason to restart it.
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  // Readiness: the process can serve requests now. It answers 503 while the database is unavailable, and while it stops.
  router.get('/readyz', async (ctx) => {
    const { reasons } = await readiness.report();
    const isReady = Object.keys(reasons).length === 0;
    // Not thrown: the log would have an error for each probe. It has the reasons whenever they change.
    ctx.status = isReady ? 200 : 503;
    ctx.body = { status: isReady ? 'ok' : 'unavailable' };
  });
  return router;
}
