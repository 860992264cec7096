import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

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

const BY_PATH: ReadonlyMap<string, Asset> = new Map(Object.values(ASSETS).map((asset) => [`/${asset.path}`, asset]));

/** The asset at a path of this service, if there is one. */
export function assetAt(path: string): Asset | undefined {
  return BY_PATH.get(path);
}

function readAsset(name: string, type: string): Asset {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
  const [stem, extension] = name.split('.');
  return { path: `pay-assets/${stem}-${hash}.${extension}`, integrity, type, bytes };
}
