import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import typescript from 'typescript';

/*
 * Writes `dist/`: the files of `source/` as JavaScript, because Node strips no types below `node_modules`. `npm pack` runs it.
 * `tsc -p .` of the checkout has checked the types.
 */

const root = new URL('./', import.meta.url);
const options = {
  module: typescript.ModuleKind.ESNext,
  target: typescript.ScriptTarget.ES2024,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  removeComments: true,
};

rmSync(new URL('dist', root), { recursive: true, force: true });
for (const path of globSync('source/**/*.ts', { cwd: root })) {
  const text = readFileSync(new URL(path, root), 'utf8');
  const target = new URL(path.replace(/^source/, 'dist').replace(/\.ts$/, '.js'), root);
  mkdirSync(dirname(target.pathname), { recursive: true });
  writeFileSync(target, typescript.transpileModule(text, { compilerOptions: options }).outputText, { mode: 0o755 });
}
cpSync(new URL('source/events.json', root), new URL('dist/events.json', root));
