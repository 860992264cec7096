import { readFileSync } from 'node:fs';

/** Names of the files in docs/guides/, without `.md`, in the order of reading and by groups of the navigation. */
export const GUIDE_SECTIONS: readonly { title: string; guides: readonly string[] }[] = [
  {
    title: 'Start',
    guides: [
      'index',
      'quickstart',
      'quickstart-typescript',
      'quickstart-python',
      'quickstart-go',
      'quickstart-php',
      'quickstart-ruby',
      'quickstart-java',
    ],
  },
  {
    title: 'Build',
    guides: ['authentication', 'idempotency', 'errors', 'paging', 'webhooks', 'senders', 'after-payment', 'examples'],
  },
  { title: 'Practices', guides: ['console'] },
  { title: 'Test and go live', guides: ['testing', 'command', 'going-live', 'limits', 'versioning', 'sdks'] },
];

/** Address of the service in all texts. Readers see the address of their own installation instead. */
export const EXAMPLE_URL = 'https://pay.example.com';

export const DOCS_URL = `${EXAMPLE_URL}/docs`;

const folder = new URL('../../../docs/guides/', import.meta.url);

/** Returns the Markdown of a guide. */
export function readGuide(name: string): string {
  return readFileSync(new URL(`${name}.md`, folder), 'utf8').replaceAll('](../pictures/', `](${DOCS_URL}/pictures/`);
}
