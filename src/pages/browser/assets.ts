import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../base/sql.ts';

/*
 * During a deploy processes of two releases serve the pages side by side, and a browser may ask one of them for a file of
 * the other's page. So every release records its files in the database before it serves, and each finds the other's
 * there: with the very bytes that the page's integrity attribute demands.
 */

/** A file that pages load, under a name that changes with its bytes. */
export interface Asset {
  /** Below the public address; no leading slash. */
  path: string;
  /** What the browser compares the bytes with before it uses them (subresource integrity). */
  integrity: string;
  type: string;
  bytes: Buffer;
}

/** 64 bits: two versions of a file never share a name. */
const HASH_DIGITS = 16;

/** All that pages load of ours. */
export const ASSETS = {
  script: readAsset('page.js', 'text/javascript; charset=utf-8'),
  style: readAsset('page.css', 'text/css; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
} as const;

/** Files by name without hash: of this release, or of any. */
const NAMED = new Map(Object.values(ASSETS).map((asset) => [asset.path.replace(/-[0-9a-f]+\./, '.'), asset]));

/** Files by path: this release's, and those of others that were asked for. */
const known = new Map<string, Pick<Asset, 'type' | 'bytes'>>(Object.values(ASSETS).map((asset) => [asset.path, asset]));

const PATH = new RegExp(`^/(pay-assets/[a-z]+)-[0-9a-f]{${HASH_DIGITS}}(\\.[a-z]+)$`);

/** Whether the path is one of a file that this or another release may have. */
export function isAssetPath(path: string): boolean {
  return presentOne(path) !== undefined;
}

/** Whether the file at the path is at hand without asking the database. */
export function isInMemory(path: string): boolean {
  return known.has(path.slice(1));
}

/** The file of this release by the same name but for the hash. */
function presentOne(path: string): Asset | undefined {
  const [, stem, extension] = PATH.exec(path) ?? [];
  return NAMED.get(`${stem}${extension}`);
}

/**
 * The file at a path for which `isAssetPath`. One that no release recorded is answered with this release's, not exactly:
 * browsers that know integrity refuse script and style then, and everything else gets what works today.
 */
export async function findAsset(
  scope: Scope,
  path: string,
): Promise<{ asset: Pick<Asset, 'type' | 'bytes'>; isExact: boolean }> {
  const key = path.slice(1);
  const asset = known.get(key) ?? (await findRecorded(scope, key));
  if (asset !== undefined) return { asset, isExact: true };
  const present = presentOne(path);
  if (present === undefined) throw new Error('asked for the file of a path that has none');
  return { asset: present, isExact: false };
}

/** Releases are few: what was found once is kept. */
async function findRecorded(scope: Scope, path: string): Promise<Pick<Asset, 'type' | 'bytes'> | undefined> {
  const text = 'select type, bytes from page_assets where path = $1';
  const [found] = await sql<Pick<Asset, 'type' | 'bytes'>>(scope.em, text, [path]);
  if (found !== undefined) known.set(path, found);
  return found;
}

/** Records this release's files for the processes of others. A server does so before it serves its first page. */
export async function recordAssets(scope: Scope): Promise<void> {
  const assets = Object.values(ASSETS);
  await sql(
    scope.em,
    `insert into page_assets (path, type, bytes) select * from unnest($1::text[], $2::text[], $3::bytea[])
     on conflict (path) do nothing`,
    [assets.map(({ path }) => path), assets.map(({ type }) => type), assets.map(({ bytes }) => bytes)],
  );
}

function readAsset(name: string, type: string): Asset {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
  const [stem, extension] = name.split('.');
  return { path: `pay-assets/${stem}-${hash}.${extension}`, integrity, type, bytes };
}
