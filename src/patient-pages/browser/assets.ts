import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { BASE } from '../../web/base.ts';

/*
 * During a deploy, processes of two releases serve the pages. A browser may ask one release for a file of the other. So
 * every release records its files in the database before it serves. Each release finds the other's files there, with the
 * bytes that the integrity attribute of the page requires.
 */

interface AssetFile {
  type: string;
  bytes: Buffer;
}

/** A file that pages load. Its name changes with its bytes. */
interface Asset extends AssetFile {
  /** Path below the public address, with leading slash. */
  path: string;
  /** Hash that the browser checks before it uses the file (subresource integrity). */
  integrity: string;
}

/** 64 bits, so that two versions of a file never share a name. */
const HASH_DIGITS = 16;

/** All files of this release that pages load. */
export const ASSETS = {
  script: readAsset('page.js', ['page.js'], 'text/javascript; charset=utf-8'),
  style: readAsset('page.css', [BASE, 'page.css'], 'text/css; charset=utf-8'),
  icon: readAsset('icon.svg', ['icon.svg'], 'image/svg+xml'),
} as const;

/** Files by path: of this release, and requested files of other releases. */
const assets = new Map<string, AssetFile>(Object.values(ASSETS).map((asset) => [asset.path, asset]));

const PATH = new RegExp(`^/pay-assets/[a-z]+-[0-9a-f]{${HASH_DIGITS}}\\.[a-z]+$`);

/** Headers of every file. Its bytes never change. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

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

function readAsset(name: string, parts: readonly (string | URL)[], type: string): Asset {
  const folder = new URL('assets/', import.meta.url);
  const bytes = Buffer.concat(parts.map((part) => readFileSync(new URL(part, folder))));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
  const [stem, extension] = name.split('.');
  return { path: `/pay-assets/${stem}-${hash}.${extension}`, integrity, type, bytes };
}
