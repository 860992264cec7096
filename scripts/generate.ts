/**
 * Derives everything that follows from `openapi.yaml`:
 *
 * - `generated/openapi.json`: the same document as JSON, with samples of code. The service loads and publishes it;
 * - `generated/openapi.yaml`: the same as YAML, without merge keys (`<<`), which many readers do not know;
 * - `generated/openapi-3.0.yaml` and `.json`: the contract as OpenAPI 3.0, for generators that know no later version;
 * - `generated/contract.ts`: its types, and the scopes that operations ask for;
 * - `generated/documentation/postman.json`: a Postman collection;
 * - `packages/paylinks-dev/events.json`: a sample of each event, for the consumers' command;
 * - `info.x-revision` in `openapi.yaml` itself.
 *
 * The SQL function `write_links` comes from the entities of links.
 * The diagrams of `docs/pictures/` come from the transition tables, the retry schedule and the imports of `src/`.
 *
 * `--check` writes nothing and exits 1 when a file is not what it would write. It also fails for a change of the contract that
 * breaks clients, and for another one that `CHANGELOG.md` does not name.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { parse, stringify } from 'yaml';
import { isObject, type Json } from '../src/contract/json-pointer.ts';
import { EXAMPLE_URL } from '../src/documentation/content/guides.ts';
import { changesSinceRelease, complaints } from './contract/editions.ts';
import { diagrams } from './generate/diagrams.ts';
import { asOpenApi30 } from './generate/openapi-3.0.ts';
import { asPostmanCollection } from './generate/postman.ts';
import { sampleEvents } from './generate/sample-events.ts';
import { withSamples } from './generate/samples.ts';

const HEADER = `/**
 * Made from openapi.yaml by \`make generate\`. Edit that file, not this one.
 */

`;

const YAML_HEADER = '# Made from openapi.yaml by `make generate`. Edit that file, not this one.\n\n';

/** Address in all texts that follow from the contract. A running service puts its own in its place. */
const SERVERS = [{ url: EXAMPLE_URL, description: 'The address at which the service is installed.' }];

const REVISION = /^ {2}x-revision: .*$/m;

const root = new URL('../', import.meta.url);

/** The files that follow from the text of `openapi.yaml`, by path from the root of the checkout. Same text, same bytes. */
async function generate(text: string): Promise<Map<string, string>> {
  const yaml = text.replace(REVISION, `  x-revision: ${revisionOf(text)}`);
  const read = () => ({ ...parse(yaml, { merge: true, maxAliasCount: -1 }), servers: SERVERS });
  const document: OpenAPI3 = read();
  const published = withSamples(read());
  const older = asOpenApi30(read());
  const names = { rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true };
  const options = { ...names, defaultNonNullable: false, silent: true };
  const types = astToString(await openapiTS(withClosedEnums(read()), options));
  return new Map([
    ['openapi.yaml', yaml],
    ['generated/openapi.json', `${JSON.stringify(published, null, 2)}\n`],
    ['generated/openapi-3.0.json', `${JSON.stringify(older, null, 2)}\n`],
    ['generated/openapi.yaml', asYaml(published)],
    ['generated/openapi-3.0.yaml', asYaml(older)],
    ['generated/contract.ts', `${HEADER}${types}${scopeType(document)}`],
    ['generated/documentation/postman.json', `${JSON.stringify(asPostmanCollection(read()), null, 2)}\n`],
    ['packages/paylinks-dev/events.json', `${JSON.stringify(sampleEvents(read()), null, 2)}\n`],
    ...(await diagrams()),
  ]);
}

function asYaml(document: object): string {
  return `${YAML_HEADER}${stringify(document, { blockQuote: 'literal', lineWidth: 120, aliasDuplicateObjects: false })}`;
}

/** The first digits of a hash over the text without the line that shows it: another text, another revision. */
function revisionOf(text: string): string {
  if (!REVISION.test(text)) throw new Error('openapi.yaml has no line "  x-revision: …" in its info');
  return `'${hash('sha256', text.replace(REVISION, '')).slice(0, 12)}'`;
}

/** The same document, read as the service itself means it: clients expect further values, but it sends none. */
function withClosedEnums(document: OpenAPI3): OpenAPI3 {
  const close = (node: Json): Json => {
    if (Array.isArray(node)) return node.map(close);
    if (!isObject(node)) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key === 'x-extensible-enum' ? 'enum' : key, close(value)]),
    );
  };
  return close(document) as OpenAPI3;
}

function scopeType(document: OpenAPI3): string {
  const scopes = new Set<string>();
  for (const pathItem of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(pathItem)) {
      const scope: unknown = operation['x-required-scope'];
      if (typeof scope === 'string') scopes.add(scope);
    }
  }
  const union = [...scopes].sort().map((scope) => JSON.stringify(scope));
  return `/** The scopes that operations ask for (\`x-required-scope\`). */\nexport type ApiScope = ${union.join(' | ')};\n`;
}

function contentOf(path: string): string | null {
  const file = new URL(path, root);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

async function main(check: boolean): Promise<void> {
  const files = await generate(readFileSync(new URL('openapi.yaml', root), 'utf8'));
  for (const [path, text] of files) {
    if (contentOf(path) === text) {
      console.log(`${path} is up to date`);
    } else if (check) {
      console.error(`${path} is stale: run \`make generate\` and commit the result`);
      process.exitCode = 1;
    } else {
      mkdirSync(new URL('.', new URL(path, root)), { recursive: true });
      writeFileSync(new URL(path, root), text);
      console.log(`${path} written`);
    }
  }
  if (!check) return;
  const changelog = readFileSync(new URL('CHANGELOG.md', root), 'utf8');
  for (const complaint of complaints(await changesSinceRelease(files.get('generated/openapi.yaml') ?? ''), changelog)) {
    console.error(complaint);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes('--check'));
