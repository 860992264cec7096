import { readFileSync } from 'node:fs';
import { PublicFile } from '../../documentation/public-file.ts';
import { PALETTE } from '../../pages/browser/palette.ts';

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

/** Parts of the one style sheet, and of the one script. Each part of the console has its own files. */
const STYLES = [
  PALETTE,
  ...['console.css', 'deliveries.css', 'payments.css', 'settings.css', 'links.css', 'developers.css'],
];
const SCRIPTS = ['console.js', 'payments.js', 'links.js', 'developers.js'];

/** The library for passkeys, and our script that uses it. Only pages with passkeys load them. */
const PASSKEYS = [
  new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
  'passkeys.js',
];

/** Files that the console's pages load. Their addresses name their hashes. */
export const ASSETS = {
  style: asset('console.css', STYLES, 'text/css; charset=utf-8'),
  script: asset('console.js', SCRIPTS, 'text/javascript; charset=utf-8'),
  passkeys: asset('passkeys.js', PASSKEYS, 'text/javascript; charset=utf-8'),
  icon: asset('icon.svg', ['icon.svg'], 'image/svg+xml'),
} as const;

/** Files by path below the public address. */
const BY_PATH = new Map(Object.values(ASSETS).map((file) => [file.path, file]));

/** Returns the file at a path. */
export function findAsset(path: string): PublicFile | undefined {
  return BY_PATH.get(path);
}

function asset(name: string, parts: readonly (string | URL)[], type: string): PublicFile {
  const folder = new URL('assets/', import.meta.url);
  return new PublicFile(`/console/assets/${name}`, type, HEADERS, () =>
    Buffer.concat(parts.map((part) => readFileSync(new URL(part, folder)))),
  );
}
