import { readFileSync } from 'node:fs';
import type { ParameterizedContext } from 'koa';
import { PublicFile } from '../../documentation/public-file.ts';
import { PALETTE } from '../../pages/browser/palette.ts';

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

/** Parts of the one style sheet. Each part of the console has its own file. */
const STYLES = [
  PALETTE,
  ...['console.css', 'deliveries.css', 'payments.css', 'settings.css', 'links.css', 'developers.css', 'overview.css'],
];

export const ASSETS = {
  style: asset('console.css', STYLES, 'text/css; charset=utf-8'),
  script: asset('console.js', ['console.js'], 'text/javascript; charset=utf-8'),
  /** Only pages with passkeys load it. */
  passkeys: asset('passkeys.js', ['passkeys.js'], 'text/javascript; charset=utf-8'),
  icon: asset('icon.svg', ['icon.svg'], 'image/svg+xml'),
} as const;

/** One year in seconds, for files whose address names their hash. */
const FOREVER_SECONDS = 31_536_000;

const BY_PATH = new Map(Object.values(ASSETS).map((file) => [file.path, file]));

/** Answers a file from memory; returns false for any other path. A hash of another release, during a deploy, is not kept. */
export function answerAsset(ctx: ParameterizedContext): boolean {
  const file = BY_PATH.get(ctx.path);
  if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false;
  const isExact = ctx.querystring === `v=${file.hash()}`;
  ctx.set(file.headers);
  ctx.set('Cache-Control', isExact ? `public, max-age=${FOREVER_SECONDS}, immutable` : 'public, max-age=60');
  ctx.type = file.type;
  ctx.body = file.bytes();
  return true;
}

function asset(name: string, parts: readonly (string | URL)[], type: string): PublicFile {
  const folder = new URL('assets/', import.meta.url);
  return new PublicFile(`/console/assets/${name}`, type, HEADERS, () =>
    Buffer.concat(parts.map((part) => readFileSync(new URL(part, folder)))),
  );
}
