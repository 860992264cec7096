import Router from '@koa/router';
import { publishedTexts } from '../contract/document.ts';
import type { RequestState } from './context.ts';

/**
 * Routes outside the contract: the texts of the contract, and health checks for an orchestrator. They need no key, have no
 * limits and contain no data of practices or patients.
 */
export function publishedRoutes(publicUrl: string, requireReady: () => Promise<void>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const { path, type, text } of publishedTexts(publicUrl)) {
    // One copy for all requests: answers that clients do not read must not cost memory each.
    const bytes = Buffer.from(text);
    router.get(path, (ctx) => {
      // Editors and viewers of OpenAPI documents run in browsers, on other origins.
      ctx.set('Access-Control-Allow-Origin', '*');
      ctx.type = type;
      ctx.body = bytes;
    });
  }
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
