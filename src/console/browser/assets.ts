import { assetFile, type PublicFile } from '../../web/public-file.ts';

export const ASSETS = {
  style: asset('console.css'),
  script: asset('console.js'),
  /** Only pages with passkeys load it. */
  passkeys: asset('passkeys.js'),
  icon: asset('icon.svg'),
} as const;

export const FILES: ReadonlyMap<string, PublicFile> = new Map(Object.values(ASSETS).map((file) => [file.path, file]));

function asset(name: string): PublicFile {
  return assetFile(`/console/assets/${name}`, new URL('assets/', import.meta.url));
}
