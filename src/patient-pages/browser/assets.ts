import { createHash } from 'node:crypto';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { assetFile } from '../../web/public-file.ts';

/*
 * During a deploy, processes of two releases serve the pages. A browser may ask one release for a file of the other. So
 * every release records its files in the database before it serves. Each release finds the other's files there, with the
 * bytes that the integrity attribute of the page requires.
 */

interface AssetFile {
  type: string;
  bytes: Buffer;
}

/** Headers of every file. Its bytes never change. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** All files of this release that pages load. */
export const ASSETS = { script: readAsset('page.js'), style: readAsset('page.css'), icon: readAsset('icon.svg') };

/** Files by path: of this release, and requested files of other releases. */
const assets = new Map<string, AssetFile>(Object.values(ASSETS).map((asset) => [asset.path, asset]));

const PATH = /^\/pay-assets\/[a-z]+-[0-9a-f]{16}\.[a-z]+$/;

/** Returns true for the path of a file that this or another release may have. */
export function isAssetPath(path: string): boolean {
  return PATH.test(path);
}

export function isInMemory(path: string): boolean {
  return assets.has(path);
}

/**
 * Returns the file at a path of this or another release; null if none has recorded it. Each found file is kept in memory, because there
 * are few releases. The table has paths without leading slash.
 */
export async function findAsset(scope: Scope, path: string): Promise<AssetFile | null> {
  const asset = assets.get(path);
  if (asset !== undefined) return asset;
  const text = 'select type, bytes from page_assets where path = $1';
  const [recorded] = await sql<AssetFile>(scope.em, text, [path.slice(1)]);
  if (recorded === undefined) return null;
  assets.set(path, recorded);
  return recorded;
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

/** Returns a file whose name changes with its bytes. Browsers check the integrity before they use it. */
function readAsset(name: string) {
  const file = assetFile(name, new URL('assets/', import.meta.url), ASSET_HEADERS);
  const path = `/pay-assets/${name.replace('.', `-${file.hash()}.`)}`;
  return { path, type: file.type, bytes: file.bytes(), integrity: computeIntegrity(file.bytes()) };
}

/** Returns the hash by which browsers check a file (subresource integrity). */
export function computeIntegrity(content: string | Buffer): string {
  return `sha384-${createHash('sha384').update(content).digest('base64')}`;
}
