import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommit, VERSION } from '../../src/platform/base/log/version.ts';
import { checkout } from '../service.ts';
import { type LockedPackage, NODE_PACKAGE, productionPackages } from './lockfile.ts';

/*
 * The bill of materials (CycloneDX). npm writes it from package-lock.json, and this file takes out packages for development. The
 * option `--omit=dev` of npm also omits packages that production and development share (npm 11.19). Node and libvips come as packages
 * of npm, under names in which no scanner looks for their vulnerabilities. So they are components of their own, with a CPE.
 */

/** A component as scanners read it. */
interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  cpe?: string;
  components?: Component[];
}

/** The parts of npm's document that are read or replaced. The others pass unchanged. */
interface BillOfMaterials {
  serialNumber: string;
  metadata: { timestamp: string; tools?: object[]; component: { name: string; properties?: object[] } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const FLAGS = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

/**
 * Returns the bill of materials as text. The same commit gives the same text.
 *
 * @param archive folder of an installed release, whose packages alone are listed; null for the packages of every platform
 */
export function billOfMaterials(archive: string | null): string {
  const output = execFileSync('npm', FLAGS, { cwd: checkout, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const all: BillOfMaterials = JSON.parse(output);
  const packages = productionPackages().filter(({ path }) => archive === null || existsSync(join(archive, path)));
  const wanted = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const kept = all.components.filter(({ name, version }) => wanted.has(`${name}@${version}`));
  const refs = new Set([...kept.map((component) => component['bom-ref']), `paylinks@${VERSION}`]);
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((target) => refs.has(target)) }));
  const components = [...kept, ...nodes(packages), ...libvips(archive ?? checkout)];
  // npm names the component after the folder of the checkout, and its own version as the tool's.
  const { tools: _tools, ...metadata } = all.metadata;
  const properties = [...(metadata.component.properties ?? []), { name: 'paylinks:commit', value: readCommit() }];
  const document: BillOfMaterials = {
    ...all,
    serialNumber: '',
    metadata: {
      ...metadata,
      timestamp: timeOfCommit(),
      component: { ...metadata.component, name: 'paylinks', properties },
    },
    components,
    dependencies,
  };
  document.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`;
  return `${JSON.stringify(document, null, 2)}\n`;
}

function nodes(packages: LockedPackage[]): Component[] {
  const versions = new Set(packages.filter(({ name }) => NODE_PACKAGE.test(name)).map(({ version }) => version));
  return [...versions].toSorted().map((version) => ({
    ...{ 'bom-ref': `node@${version}`, type: 'platform', name: 'node', version },
    ...{ purl: `pkg:generic/node@${version}`, cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` },
  }));
}

/** Returns libvips, which sharp brings as a binary, with the libraries in that binary. Only an installed package knows its version. */
function libvips(folder: string): Component[] {
  return globSync('node_modules/@img/sharp-libvips-*/versions.json', { cwd: folder })
    .toSorted()
    .map((path) => {
      const { vips = '', ...libraries }: Record<string, string> = JSON.parse(readFileSync(join(folder, path), 'utf8'));
      const component = (name: string, version: string) => ({
        ...{ 'bom-ref': `${name}@${version}`, type: 'library', name, version, purl: `pkg:generic/${name}@${version}` },
      });
      return {
        ...component('libvips', vips),
        cpe: `cpe:2.3:a:libvips:libvips:${vips}:*:*:*:*:*:*:*`,
        components: Object.entries(libraries).map(([name, version]) => component(`libvips/${name}`, version)),
      };
    });
}

function timeOfCommit(): string {
  const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: checkout, encoding: 'utf8' });
  return new Date(Number(seconds) * 1_000).toISOString();
}

/** Returns a UUID of version 8, which RFC 9562 leaves to its maker, from the hash of a text. */
function uuidOf(text: string): string {
  return hash('sha256', text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5');
}
