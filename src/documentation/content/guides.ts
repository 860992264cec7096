import { readFileSync } from 'node:fs';

/** A group of pages in the navigation. */
export interface GuideSection {
  title: string;
  /** Names of the files in docs/guides/, without `.md`, in order of reading. */
  guides: readonly string[];
}

/** All guides, in the order of the navigation. */
export const GUIDE_SECTIONS: readonly GuideSection[] = [
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
