import type { Scope } from '../../platform/base/scope.ts';
import { darker, parseBrandColor } from '../../practices/colors.ts';
import { findLogo } from '../../practices/logo.ts';
import { ASSET_HEADERS, computeIntegrity } from './assets.ts';

/*
 * The color and the logo of a practice, as files of our own origin: no page has inline styles. Their addresses name their
 * content, so browsers keep them.
 */

const FOLDER = '/pay-brand/';

const STYLE_PATH = /^\/pay-brand\/([0-9a-f]{6})\.css$/;
const LOGO_PATH = /^\/pay-brand\/([0-9a-f]{64})\.png$/;

/** Headers of every file. Its content never changes, and as a page of its own it can do nothing. */
export const BRAND_HEADERS: Readonly<Record<string, string>> = {
  ...ASSET_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

export function isBrandPath(path: string): boolean {
  return path.startsWith(FOLDER);
}

/** Returns the path of the style sheet with a color of the form `#0b4f6c`, and the hash that browsers check. */
export function brandStyle(color: string): { path: string; integrity: string } {
  return { path: `${FOLDER}${color.slice(1)}.css`, integrity: computeIntegrity(writeStyle(color)) };
}

export function logoPath(hash: string): string {
  return `${FOLDER}${hash}.png`;
}

/** Returns the file at a path; null if there is none. A style sheet needs no database, and exists for readable colors only. */
export async function findBrandFile(scope: Scope, path: string) {
  const [, digits] = STYLE_PATH.exec(path) ?? [];
  if (digits !== undefined && parseBrandColor(digits).kind === 'color') {
    return { type: 'text/css; charset=utf-8', bytes: Buffer.from(writeStyle(`#${digits}`)) };
  }
  const [, hash] = LOGO_PATH.exec(path) ?? [];
  const bytes = hash === undefined ? null : await findLogo(scope, hash);
  return bytes === null ? null : { type: 'image/png', bytes };
}

function writeStyle(color: string): string {
  return `:root{--accent:${color};--accent-dark:${darker(color)};--on-accent:#fff}`;
}
