import type { Rendered } from './content/markdown.ts';
import type { PublicFile } from './public-file.ts';

/** One page of the documentation. */
export interface Page extends Rendered {
  /** Path below the public address, with leading slash. */
  path: string;
  /** The page as Markdown, for readers that are programs. */
  markdown: PublicFile;
}
