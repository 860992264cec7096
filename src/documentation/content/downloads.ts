import { readdirSync, readFileSync } from 'node:fs';
import { EXAMPLE_URL } from './guides.ts';

const root = new URL('../../../examples/', import.meta.url);

/** The collection that `make generate` makes from the contract. */
const collectionFile = new URL('../../../generated/documentation/postman.json', import.meta.url);

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

/** Files for download: modules that verify webhooks, and the example in the folders in which they import each other. */
export const DOWNLOADS: readonly { path: string; read: () => string }[] = [
  ...VERIFIERS.map((file) => download(`verify/${file.split('/').at(-1)}`, `verify/${file}`)),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root))
      .filter((name) => SOURCE.test(name))
      .map((name) => download(`examples/${folder}/${name}`, `${folder}/${name}`)),
  ),
];

function download(path: string, file: string) {
  return { path: `/docs/${path}`, read: () => readFileSync(new URL(file, root), 'utf8') };
}

/** Returns the Postman collection with the service's own address, as JSON. */
export function postmanCollection(publicUrl: string): string {
  const collection = JSON.parse(readFileSync(collectionFile, 'utf8'));
  for (const variable of collection.variable) if (variable.key === 'baseUrl') variable.value = publicUrl;
  return `${JSON.stringify(collection, null, 2).replaceAll(EXAMPLE_URL, publicUrl)}\n`;
}

const pictures = new URL('../../../docs/pictures/', import.meta.url);

/** The diagrams and pictures of the guides. */
export const PICTURES: readonly { path: string; type: string; read: () => Buffer }[] = readdirSync(pictures).map(
  (name) => ({
    path: `/docs/pictures/${name}`,
    type: name.endsWith('.svg') ? 'image/svg+xml' : 'image/png',
    read: () => readFileSync(new URL(name, pictures)),
  }),
);
