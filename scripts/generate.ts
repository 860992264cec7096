/**
 * Derives everything that follows from `openapi.yaml`:
 *
 * - `generated/openapi.json`: the same document as JSON, which the service loads at run time;
 * - `generated/contract.ts`: its types, and the scopes that operations ask for.
 *
 * `--check` writes nothing and exits 1 when a file is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { parse } from 'yaml';

const HEADER = `/**
 * Made from openapi.yaml by \`make generate\`. Edit that file, not this one.
 */

`;

const root = new URL('../', import.meta.url);

/** The files that follow from the text of `openapi.yaml`, by path from the root of the checkout. Same text, same bytes. */
export async function generate(yaml: string): Promise<Map<string, string>> {
  // Two readings, because openapi-typescript notes what it resolved inside the object that it is given.
  const document: OpenAPI3 = parse(yaml);
  const types = astToString(await openapiTS(parse(yaml), { defaultNonNullable: false, silent: true }));
  return new Map([
    ['generated/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['generated/contract.ts', `${HEADER}${types}${scopeType(document)}`],
  ]);
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
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
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
      writeFileSync(new URL(path, root), text);
      console.log(`${path} written`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes('--check'));
