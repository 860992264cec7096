import Router from '@koa/router';
import { publishedTexts } from '../contract/document.ts';
import type { RequestState } from './context.ts';

/**
 * What lies outside the contract: the contract itself, and what an orchestrator asks. No key, no limit, nothing that
 * tells about anybody.
 */
export function publishedRoutes(publicUrl: string, requireReady: () => Promise<void>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const { path, type, text } of publishedTexts(publicUrl)) {
    // One copy for all requests: answers that clients do not read must not cost memory each.
    const bytes = Buffer.from(text);
    router.get(path, (ctx) => {
      // Editors and viewers of contracts run in browsers, on pages of others.
      ctx.set('Access-Control-Allow-Origin', '*');
      ctx.type = type;
      ctx.body = bytes;
    });
  }
  // Alive: the process answers. A database that is away is no reason to restart it.
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  // Ready: it can serve requests now. Throws, and so answers 503, while the database is away.
  router.get('/readyz', async (ctx) => {
    await requireReady();
    ctx.body = { status: 'ok' };
  });
  return router;
}
