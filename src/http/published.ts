import Router from '@koa/router';
import { document, openapiYaml } from '../contract/document.ts';
import type { RequestState } from './context.ts';

const openapiJson = JSON.stringify(document, null, 2);

/**
 * What lies outside the contract: the contract itself, and what an orchestrator asks. No key, no limit, nothing that
 * tells about anybody.
 */
export function publishedRoutes(requireReady: () => Promise<void>): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  router.get('/openapi.yaml', (ctx) => {
    ctx.type = 'application/yaml';
    ctx.body = openapiYaml;
  });
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = openapiJson;
  });
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
