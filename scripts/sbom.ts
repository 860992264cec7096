import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, localFolder } from './service.ts';

/*
 * `make sbom`: writes the bill of materials of a production install. The source is package-lock.json and not the
 * installed packages, so that it names the pinned Node of every platform. The output of npm has all packages, and this
 * script omits those for development. The option `--omit=dev` of npm 11.19 also omits packages that production and
 * development share.
 */

/** The parts of npm's CycloneDX document that are read. The others pass unchanged. */
interface BillOfMaterials {
  components: { 'bom-ref': string; name: string; version: string; properties?: { name: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** The parts of package-lock.json that are read. */
interface Lockfile {
  packages: Record<string, { name?: string; version: string; dev?: boolean; link?: boolean }>;
}

const FILE = join(localFolder, 'sbom.cdx.json');
const FLAGS = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

function main(): void {
  const output = execFileSync('npm', FLAGS, { cwd: checkout, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const all: BillOfMaterials = JSON.parse(output);
  const wanted = productionPackages();
  const components = all.components.filter(({ name, version }) => wanted.has(`${name}@${version}`));
  const dropped = new Set(all.components.filter((one) => !components.includes(one)).map((one) => one['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }) => !dropped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((target) => !dropped.has(target)) }));
  mkdirSync(localFolder, { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`);
  process.stdout.write(`${FILE}: ${components.length} packages\n`);
}

/** Name and version of each package that `npm ci --omit=dev` installs on some platform. */
function productionPackages(): Set<string> {
  const { packages }: Lockfile = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  const production = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
  );
  return new Set(
    production.map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );
}

main();
