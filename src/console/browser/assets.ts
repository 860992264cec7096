import { readFileSync } from 'node:fs';
import { PublicFile } from '../../documentation/public-file.ts';
import { BASE } from '../../web/base.ts';

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

export const ASSETS = {
  style: asset('console.css', [BASE, 'console.css'], 'text/css; charset=utf-8'),
  script: asset('console.js', ['console.js'], 'text/javascript; charset=utf-8'),
  /** Only pages with passkeys load it. */
  passkeys: asset('passkeys.js', ['passkeys.js'], 'text/javascript; charset=utf-8'),
  icon: asset('icon.svg', ['icon.svg'], 'image/svg+xml'),
} as const;

/** Files by path. */
export const FILES: ReadonlyMap<string, PublicFile> = new Map(Object.values(ASSETS).map((file) => [file.path, file]));

function asset(name: string, parts: readonly (string | URL)[], type: string): PublicFile {
  const folder = new URL('assets/', import.meta.url);
  return new PublicFile(`/console/assets/${name}`, type, HEADERS, () =>
    Buffer.concat(parts.map((part) => readFileSync(new URL(part, folder)))),
  );
}
