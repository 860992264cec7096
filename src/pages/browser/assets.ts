import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { BASE } from './base.ts';

/*
 * During a deploy, processes of two releases serve the pages. A browser may ask one release for a file of the other. So
 * every release records its files in the database before it serves. Each release finds the other's files there, with the
 * bytes that the integrity attribute of the page requires.
 */

/** A file that pages load. Its name changes with its bytes. */
export interface Asset {
  /** Path below the public address, with leading slash. */
  path: string;
  /** Hash that the browser checks before it uses the file (subresource integrity). */
  integrity: string;
  type: string;
  bytes: Buffer;
}

/** 64 bits, so that two versions of a file never share a name. */
const HASH_DIGITS = 16;

/** All files of this release that pages load. */
export const ASSETS = {
  script: readAsset('page.js', ['page.js'], 'text/javascript; charset=utf-8'),
  style: readAsset('page.css', [BASE, 'page.css'], 'text/css; charset=utf-8'),
  icon: readAsset('icon.svg', ['icon.svg'], 'image/svg+xml'),
} as const;

const NAMED = new Map(Object.values(ASSETS).map((asset) => [asset.path.replace(/-[0-9a-f]+\./, '.'), asset]));

/** Files by path: those of this release, and those of other releases that were requested. */
const known = new Map<string, Pick<Asset, 'type' | 'bytes'>>(Object.values(ASSETS).map((asset) => [asset.path, asset]));

/**
 * Returns the query of the files that a page loads. The slot leads the edge to the cell that served the page, because another
 * cell may have another release. A page without a slot needs none.
 */
export function fileQuery(slot: string | null): string {
  return slot === null ? '' : `?slot=${slot}`;
}

const PATH = new RegExp(`^(/pay-assets/[a-z]+)-[0-9a-f]{${HASH_DIGITS}}(\\.[a-z]+)$`);

/** Returns true for the path of a file that this or another release may have. */
export function isAssetPath(path: string): boolean {
  return currentVersion(path) !== undefined;
}

export function isInMemory(path: string): boolean {
  return known.has(path);
}

/** Returns the file of this release whose path differs in the hash at most. */
function currentVersion(path: string): Asset | undefined {
  const [, stem, extension] = PATH.exec(path) ?? [];
  return NAMED.get(`${stem}${extension}`);
}

/**
 * Returns the file at a path for which `isAssetPath` is true. If no release recorded it, returns the file of this release
 * with `isExact` false. Browsers that check integrity refuse that script or style; older browsers and icons use it.
 */
export async function findAsset(
  scope: Scope,
  path: string,
): Promise<{ asset: Pick<Asset, 'type' | 'bytes'>; isExact: boolean }> {
  const asset = known.get(path) ?? (await findRecorded(scope, path));
  if (asset !== undefined) return { asset, isExact: true };
  const present = currentVersion(path);
  if (present === undefined) throw new Error('findAsset needs a path for which isAssetPath is true');
  return { asset: present, isExact: false };
}

/** Keeps each found file in memory. There are few releases. The table has paths without leading slash. */
async function findRecorded(scope: Scope, path: string): Promise<Pick<Asset, 'type' | 'bytes'> | undefined> {
  const text = 'select type, bytes from page_assets where path = $1';
  const [found] = await sql<Pick<Asset, 'type' | 'bytes'>>(scope.em, text, [path.slice(1)]);
  if (found !== undefined) known.set(path, found);
  return found;
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
