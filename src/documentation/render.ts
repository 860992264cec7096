import { templatesOf } from '../pages/render/templates.ts';
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

/** A link of the navigation. */
export interface Link {
  title: string;
  href: string;
}

/** Files that pages load. */
export interface Assets {
  style: PublicFile;
  script: PublicFile;
  icon: PublicFile;
}

/** Everything that a page shows. */
interface View {
  basePath: string;
  assets: Assets;
  navigation: readonly { title: string; links: readonly Link[] }[];
  path: string;
  content: Rendered;
  /** The same page as Markdown, if there is one. */
  markdown?: PublicFile;
}

/** The HTML that the Markdown renderer made is the only value that is not escaped. */
const eta = templatesOf(new URL('templates', import.meta.url));

/** Returns a whole page. */
export function layout(view: View): string {
  const address = (file: PublicFile) => `${view.basePath}${file.path}?v=${file.hash()}`;
  const contents = view.content.sections.filter(({ depth, id }) => depth === 2 && id !== null);
  return eta.render('page', { ...view, address, contents });
}
