import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../service.ts';

/** The parts of an entry of package-lock.json that are read. */
interface Entry {
  name?: string;
  version: string;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  integrity?: string;
  hasInstallScript?: boolean;
}

/** A package that `npm ci --omit=dev` installs on some platform. */
export interface LockedPackage extends Entry {
  /** Folder of the package, such as `node_modules/pg`. */
  path: string;
  name: string;
}

/** Packages of npm whose only content is Node for one platform. */
export const NODE_PACKAGE = /^node-(?:bin-)?(?:linux|darwin)-/;

/** Returns the packages of production by package-lock.json. A link is a local package, described by its own entry. */
export function productionPackages(): LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  return Object.entries<Entry>(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .map(([path, entry]) => ({ ...entry, path, name: entry.name ?? path.replace(/^.*node_modules\//, '') }));
}
