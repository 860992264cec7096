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
  const generatedFile = (path: string, type: string, file: string, headers = {}) => {
    const address = type === 'application/json' ? JSON.stringify(publicUrl).slice(1, -1) : publicUrl;
    return publicFile(path, type, () => readText(`generated/${file}`).replaceAll(EXAMPLE_URL, () => address), headers);
  };
  const senders = `${JSON.stringify({ networks: senderNetworks })}\n`;
  return [
    ...SOURCES,
    ...pictures,
    generatedFile('/docs/postman.json', 'application/json', 'documentation/postman.json'),
    publicFile('/docs/senders.json', 'application/json', () => senders),
    publicFile('/docs/paylinks-dev.tgz', 'application/gzip', commandPackage),
    // The earlier version is for generators.
    ...['openapi', 'openapi-3.0'].flatMap((name) => [
      generatedFile(`/${name}.yaml`, 'application/yaml', `${name}.yaml`, CONTRACT_HEADERS),
      generatedFile(`/${name}.json`, 'application/json', `${name}.json`, CONTRACT_HEADERS),
    ]),
  ];
}

function source(path: string, file: string): PublicFile {
  return publicFile(`/docs/${path}`, 'text/plain; charset=utf-8', () => readText(`examples/${file}`));
}

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}
