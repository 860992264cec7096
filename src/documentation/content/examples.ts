import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../../examples/', import.meta.url);

/** Folders of the example integrations, and those with the modules that they import. */
const FOLDERS = [
  ...['practice-management', 'nightly-reconciliation', 'receiver-go'],
  ...['verify/typescript', 'verify/python', 'verify/go'],
];

/** Sources and their documentation. A run of an example in the checkout leaves other files. */
const SOURCE = /\.(ts|py|go|mod|md)$/;

/** Files of the example integrations for download, in the folders in which they import each other. */
export const EXAMPLE_FILES: readonly { path: string; read: () => string }[] = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((name) => SOURCE.test(name))
    .map((name) => ({
      path: `/docs/examples/${folder}/${name}`,
      read: () => readFileSync(new URL(`${folder}/${name}`, root), 'utf8'),
    })),
);
