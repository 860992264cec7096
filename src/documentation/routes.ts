import type { Middleware, ParameterizedContext } from 'koa';
import { ApiError } from '../platform/base/errors.ts';
import type { Encoding, PublicFile } from './public-file.ts';
import type { Site } from './site.ts';

/** Time for which a browser or a proxy may use a file without asking again, in seconds. */
const FRESH_SECONDS = 300;

/** One year in seconds, for files whose address names their hash. */
const FOREVER_SECONDS = 31_536_000;

/** Targets of paths that lead elsewhere. The contract names the last one. */
const REDIRECTS: ReadonlyMap<string, string> = new Map([
  ['/', '/docs'],
  ['/docs/', '/docs'],
  ['/docs.md', '/docs/index.md'],
  ['/api-guide.md', '/docs/index.md'],
]);

/** In order of preference. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

/**
 * Serves the documentation and the published contract to everyone, without a key. Passes all other paths on. The files
 * contain no data of practices or patients.
 */
export function documentationRoutes(site: Site): Middleware {
  return async (ctx, next) => {
    const target = REDIRECTS.get(ctx.path);
    if (target !== undefined) return redirect(ctx, `${site.basePath}${target}`);
    const file = site.files.get(ctx.path) ?? (ctx.path.startsWith('/docs/') ? site.notFound : undefined);
    if (file === undefined) return next();
    await answerFile(ctx, file, file === site.notFound ? 404 : 200);
    ctx.state.operationId = 'documentation';
  };
}

function redirect(ctx: ParameterizedContext, target: string): void {
  requireReading(ctx);
  ctx.redirect(target);
  ctx.set('Cache-Control', `public, max-age=${FRESH_SECONDS}`);
}

/** Answers a file, compressed as the client accepts, with a tag by which it asks for it again. */
export async function answerFile(ctx: ParameterizedContext, file: PublicFile, status = 200): Promise<void> {
  requireReading(ctx);
  const encoding = ENCODINGS.find((name) => ctx.acceptsEncodings(name) !== false) ?? 'identity';
  ctx.set(file.headers);
  // During a deploy a page of one release may ask the other release for a file, so a wrong hash must not be kept.
  const age = ctx.querystring === `v=${file.hash()}` ? `${FOREVER_SECONDS}, immutable` : FRESH_SECONDS;
  ctx.set('Cache-Control', `public, max-age=${age}`);
  ctx.vary('Accept-Encoding');
  ctx.status = status;
  ctx.etag = `${file.hash()}-${encoding}`;
  if (status === 200 && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const bytes = await file.encoded(encoding);
  ctx.type = file.type;
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = bytes;
}

/** @throws ApiError `method_not_allowed` for a method that does not read */
function requireReading(ctx: ParameterizedContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
}
