import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { checkout } from '../harness/processes.ts';

/** The machine's own PATH: `make test` puts the packages' programs in front of it. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

/** Message of npm when the registry does not answer. */
export const OUT_OF_REACH =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/** The parts of package-lock.json that are read here. */
interface Lockfile {
  packages: Record<string, { name?: string; version: string; dev?: boolean; optional?: boolean; link?: boolean }>;
}

/** A package of a production install. An optional one may be for other platforms only. */
export interface ProductionPackage {
  path: string;
  name: string;
  version: string;
  isOptional: boolean;
}

/** Returns the production part of package-lock.json. A link is a local package, which is described by its own entry. */
export function productionPackages(): ProductionPackage[] {
  const { packages }: Lockfile = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .map(([path, { name, version, optional }]) => ({
      path,
      name: name ?? path.replace(/^.*node_modules\//, ''),
      version,
      isOptional: optional === true,
    }));
}
