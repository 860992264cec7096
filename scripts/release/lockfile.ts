import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../service.ts';

/** The parts of package-lock.json that are read. */
interface Lockfile {
  packages: Record<string, { name?: string; version: string; dev?: boolean; link?: boolean }>;
}

/** A package that `npm ci --omit=dev` installs on some platform. */
export interface LockedPackage {
  /** Folder of the package, such as `node_modules/pg`. */
  path: string;
  name: string;
  version: string;
}

/** Packages of npm whose only content is Node for one platform. */
export const NODE_PACKAGE = /^node-(?:bin-)?(?:linux|darwin)-/;

/** Returns the packages of production by package-lock.json. A link is a local package, described by its own entry. */
export function productionPackages(): LockedPackage[] {
  const { packages }: Lockfile = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .map(([path, { name, version }]) => ({ path, name: name ?? path.replace(/^.*node_modules\//, ''), version }));
}
