import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Rendered } from './content/markdown.ts';
import type { PublicFile } from './public-file.ts';

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

/** Escapes every value except the HTML that the Markdown renderer made. */
const eta = new Eta({ views: fileURLToPath(new URL('templates', import.meta.url)), cache: true, autoEscape: true });

/** Returns a whole page. */
export function layout(view: View): string {
  const address = (file: PublicFile) => `${view.basePath}${file.path}?v=${file.hash()}`;
  const contents = view.content.sections.filter(({ depth, id }) => depth === 2 && id !== null);
  return eta.render('page', { ...view, address, contents });
}
