import type { Rendered } from './content/markdown.ts';
import type { PublicFile } from './public-file.ts';

/** One page of the documentation. */
export interface Page {
  /** Path below the public address, with leading slash. */
  path: string;
  title: string;
  /** The page as Markdown, for readers that are programs. */
  markdown: PublicFile;
  /** Renders the Markdown, or returns what it rendered before. @throws Error if a link leads nowhere */
  rendered: () => Rendered;
}
