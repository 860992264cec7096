import Router from '@koa/router';
import type { RequestState } from './context.ts';
import { isStopping } from './server.ts';

/** Health checks for an orchestrator. They need no key and have no limits. */
export function healthRoutes(requireReady: () => Promise<void>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  // Liveness: the process answers. An unavailable database is no reason to restart it.
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  // Readiness: the process can serve requests now. It answers 503 while the database is unavailable, and while it stops.
  router.get('/readyz', async (ctx) => {
    if (isStopping(ctx.req)) {
      // Not thrown: the log would have an error for each probe.
      ctx.status = 503;
      ctx.body = { status: 'stopping' };
      return;
    }
    await requireReady();
    ctx.body = { status: 'ok' };
  });
  return router;
}
