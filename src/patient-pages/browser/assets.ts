import { createHash } from 'node:crypto';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { darker, parseBrandColor } from '../../practices/colors.ts';
import { findLogo } from '../../practices/logo.ts';
import { assetFile } from '../../web/public-file.ts';

/*
 * During a deploy, a browser may ask one release for a file of the other. So every release records its files in the database before
 * it serves. The other finds them there, with the bytes that the integrity attribute of the page requires.
 *
 * The color and the logo of a practice are files of our own origin, too: no page has inline styles.
 */

interface AssetFile {
  type: string;
  bytes: Buffer;
}

const ASSET_PATH = /^\/pay-assets\/[a-z]+-[0-9a-f]{16}\.[a-z]+$/;
const BRAND_FOLDER = '/pay-brand/';
const STYLE_PATH = /^\/pay-brand\/([0-9a-f]{6})\.css$/;
const LOGO_PATH = /^\/pay-brand\/([0-9a-f]{64})\.png$/;

/** Headers of every file. Its address names its content, which never changes. Opened as a page, it can do nothing. */
export const FILE_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

/** All files of this release that pages load. */
export const ASSETS = { script: readAsset('page.js'), style: readAsset('page.css'), icon: readAsset('icon.svg') };

/** Files by path: of this release, and requested files of other releases. */
const assets = new Map<string, AssetFile>(Object.values(ASSETS).map((asset) => [asset.path, asset]));

/** Returns the kind of file that a path names: of this or another release, or of a practice; null for all other paths. */
export function fileKind(path: string): 'asset' | 'brand' | null {
  if (ASSET_PATH.test(path)) return 'asset';
  return path.startsWith(BRAND_FOLDER) ? 'brand' : null;
}

export function isInMemory(path: string): boolean {
  return assets.has(path);
}

/** Returns the file at a path; null if there is none. */
export async function findFile(scope: Scope, path: string): Promise<AssetFile | null> {
  const asset = assets.get(path);
  if (asset !== undefined) return asset;
  const [, digits] = STYLE_PATH.exec(path) ?? [];
  // A style sheet needs no database, and exists for readable colors only.
  if (digits !== undefined && parseBrandColor(digits).kind === 'color') {
    return { type: 'text/css; charset=utf-8', bytes: Buffer.from(writeStyle(`#${digits}`)) };
  }
  const [, hash] = LOGO_PATH.exec(path) ?? [];
  const bytes = hash === undefined ? null : await findLogo(scope, hash);
  if (bytes !== null) return { type: 'image/png', bytes };
  return ASSET_PATH.test(path) ? findRecordedAsset(scope, path) : null;
}

/** Keeps each file of another release in memory, because there are few releases. The table has paths without leading slash. */
async function findRecordedAsset(scope: Scope, path: string): Promise<AssetFile | null> {
  const text = 'select type, bytes from page_assets where path = $1';
  const [asset] = await sql<AssetFile>(scope.em, text, [path.slice(1)]);
  if (asset === undefined) return null;
  assets.set(path, asset);
  return asset;
}

/** Records the files of this release for processes of other releases. A server calls this before it serves a page. */
export async function recordAssets(scope: Scope): Promise<void> {
  const assets = Object.values(ASSETS);
  await sql(
    scope.em,
    `insert into page_assets (path, type, bytes) select * from unnest($1::text[], $2::text[], $3::bytea[])
     on conflict (path) do nothing`,
    [assets.map(({ path }) => path.slice(1)), assets.map(({ type }) => type), assets.map(({ bytes }) => bytes)],
  );
}

/** Returns the style sheet with a color of the form `#0b4f6c`. */
export function brandStyle(color: string): { path: string; integrity: string } {
  return { path: `${BRAND_FOLDER}${color.slice(1)}.css`, integrity: computeIntegrity(writeStyle(color)) };
}

export function logoPath(hash: string): string {
  return `${BRAND_FOLDER}${hash}.png`;
}

function writeStyle(color: string): string {
  return `:root{--accent:${color};--accent-dark:${darker(color)};--on-accent:#fff}`;
}

/** Returns a file whose name changes with its bytes. Browsers check the integrity before they use it. */
function readAsset(name: string) {
  const file = assetFile(name, new URL('assets/', import.meta.url));
  const path = `/pay-assets/${name.replace('.', `-${file.hash()}.`)}`;
  return { path, type: file.type, bytes: file.bytes(), integrity: computeIntegrity(file.bytes()) };
}

/** Returns the hash by which browsers check a file (subresource integrity). */
function computeIntegrity(content: string | Buffer): string {
  return `sha384-${createHash('sha384').update(content).digest('base64')}`;
}
