import Router from '@koa/router';
import type { RequestState } from './context.ts';

/** Health checks for an orchestrator. They need no key and have no limits. */
export function healthRoutes(requireReady: () => Promise<void>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  // Liveness: the process answers. An unavailable database is no reason to restart it.
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  // Readiness: the process can serve requests now. It answers 503 while the database is unavailable.
  router.get('/readyz', async (ctx) => {
    await requireReady();
    ctx.body = { status: 'ok' };
  });
  return router;
}
