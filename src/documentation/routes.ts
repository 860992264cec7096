import type { Middleware } from 'koa';
import { answerFile, FRESH_SECONDS, requireReading } from '../web/public-file.ts';
import type { Site } from './site.ts';

/** Targets of paths that lead elsewhere. The contract names the last one. */
const REDIRECTS: ReadonlyMap<string, string> = new Map([
  ['/', '/docs'],
  ['/docs/', '/docs'],
  ['/docs.md', '/docs/index.md'],
  ['/api-guide.md', '/docs/index.md'],
]);

/** Serves the documentation and the published contract to everyone. They contain no data of practices or patients. */
export function documentationRoutes(site: Site): Middleware {
  return async (ctx, next) => {
    const target = REDIRECTS.get(ctx.path);
    if (target !== undefined) {
      requireReading(ctx);
      ctx.redirect(`${site.basePath}${target}`);
      ctx.set('Cache-Control', `public, max-age=${FRESH_SECONDS}`);
      return;
    }
    const file = site.files.get(ctx.path) ?? (ctx.path.startsWith('/docs/') ? site.notFound : undefined);
    if (file === undefined) return next();
    await answerFile(ctx, file, file === site.notFound ? 404 : 200);
    ctx.state.operationId = 'documentation';
  };
}
