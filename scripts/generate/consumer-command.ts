import { globSync, readFileSync } from 'node:fs';
import typescript from 'typescript';

const FOLDER = 'packages/paylinks-dev';

const root = new URL(`../../${FOLDER}/`, import.meta.url);

const OPTIONS: typescript.CompilerOptions = {
  module: typescript.ModuleKind.ESNext,
  target: typescript.ScriptTarget.ES2024,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  removeComments: true,
};

/**
 * Returns the consumers' command as JavaScript, because Node strips no types below `node_modules`. The service serves these
 * files as a package, so they are kept in the repository.
 *
 * @param events text of `events.json`
 */
export function consumerCommand(events: string): [path: string, text: string][] {
  const modules = globSync('source/**/*.ts', { cwd: root })
    .toSorted()
    .map((path): [string, string] => {
      const text = readFileSync(new URL(path, root), 'utf8');
      const { outputText } = typescript.transpileModule(text, { compilerOptions: OPTIONS });
      return [`${FOLDER}/${path.replace(/^source/, 'dist').replace(/\.ts$/, '.js')}`, outputText];
    });
  return [[`${FOLDER}/events.json`, events], ...modules];
}
