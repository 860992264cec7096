import { readdirSync, readFileSync } from 'node:fs';
import { type PublicFile, publicFile } from '../../web/public-file.ts';
import { commandPackage } from './command-package.ts';
import { EXAMPLE_URL } from './guides.ts';

const root = new URL('../../../', import.meta.url);

/** Modules that verify webhooks, for readers to download into their own code, and vectors to test them. */
const VERIFIERS = [
  'typescript/verify.ts',
  'python/verify.py',
  'go/verify.go',
  'php/verify.php',
  'ruby/verify.rb',
  'java/WebhookVerifier.java',
  'vectors.json',
];

/** The example integration, and the folder with the module that it imports. */
const FOLDERS = ['practice-management', 'verify/typescript'];

/** Sources and their documentation. A run of an example in the checkout leaves other files. */
const SOURCE = /\.(ts|md)$/;

/** Headers of the contract's texts. Editors and viewers of OpenAPI run in browsers, on other origins. */
const CONTRACT_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
} as const;

/** Matches the `servers` block in the contract's YAML, up to the next member of the document. */
const SERVERS = /^servers:\n(?:[ -].*\n|\n)+/m;

/** Modules that verify webhooks, and the example in the folders in which they import each other. */
export const SOURCES: readonly PublicFile[] = [
  ...VERIFIERS.map((file) => source(`verify/${file.split('/').at(-1)}`, `verify/${file}`)),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`examples/${folder}/`, root))
      .filter((name) => SOURCE.test(name))
      .map((name) => source(`examples/${folder}/${name}`, `${folder}/${name}`)),
  ),
];

/** Lists what is no page: sources, pictures, and files that programs read, or that a consumer installs. */
export function listDownloads(publicUrl: string, senderNetworks: readonly string[]): PublicFile[] {
  const pictures = readdirSync(new URL('docs/pictures/', root)).map((name) =>
    publicFile(`/docs/pictures/${name}`, name.endsWith('.svg') ? 'image/svg+xml' : 'image/png', () =>
      readFileSync(new URL(`docs/pictures/${name}`, root)),
    ),
  );
  const senders = `${JSON.stringify({ networks: senderNetworks })}\n`;
  return [
    ...SOURCES,
    ...pictures,
    publicFile('/docs/postman.json', 'application/json', () => postmanCollection(publicUrl)),
    publicFile('/docs/senders.json', 'application/json', () => senders),
    publicFile('/docs/paylinks-dev.tgz', 'application/gzip', commandPackage),
    ...contractTexts(publicUrl),
  ];
}

function source(path: string, file: string): PublicFile {
  return publicFile(`/docs/${path}`, 'text/plain; charset=utf-8', () => readText(`examples/${file}`));
}

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** Returns the collection that `make generate` makes from the contract, with the service's own address. */
function postmanCollection(publicUrl: string): string {
  const collection = JSON.parse(readText('generated/documentation/postman.json'));
  for (const variable of collection.variable) if (variable.key === 'baseUrl') variable.value = publicUrl;
  return `${JSON.stringify(collection, null, 2).replaceAll(EXAMPLE_URL, publicUrl)}\n`;
}

/** Returns the contract in two OpenAPI versions and two formats. The earlier version is for generators, which need no samples. */
function contractTexts(publicUrl: string): PublicFile[] {
  const description = 'The address at which the service is installed.';
  const servers = [{ url: publicUrl, description }];
  // Every JSON string is also a valid YAML string.
  const block = `servers:\n  - url: ${JSON.stringify(publicUrl)}\n    description: ${description}\n\n`;
  return ['openapi', 'openapi-3.0'].flatMap((name) => {
    const read = (format: string) => readText(`generated/${name}.${format}`).replaceAll(EXAMPLE_URL, publicUrl);
    const yaml = () => read('yaml').replace(SERVERS, () => block);
    const json = () => `${JSON.stringify({ ...JSON.parse(read('json')), servers }, null, 2)}\n`;
    return [
      publicFile(`/${name}.yaml`, 'application/yaml', yaml, CONTRACT_HEADERS),
      publicFile(`/${name}.json`, 'application/json', json, CONTRACT_HEADERS),
    ];
  });
}
