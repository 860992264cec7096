import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/**
 * Returns the templates of a folder. They escape every value; only the output of another template is inserted unescaped. All are
 * compiled at once, so that a faulty template stops the process at its start.
 */
export function templatesOf(folder: URL): Eta {
  const views = fileURLToPath(folder);
  const eta = new Eta({ views, cache: true, autoEscape: true });
  for (const file of globSync('**/*.eta', { cwd: views })) {
    const path = join(views, file);
    eta.loadTemplate(path, eta.compile(eta.readFile(path)));
  }
  return eta;
}
