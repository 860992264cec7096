import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { checkout } from '../harness/processes.ts';
import { Compiled, partsOf } from './fixtures/templates.ts';

const room = join(checkout, 'src/pages');
const folder = join(room, 'render/templates');

/** Each template as a file. Its values are those of `Views`, which the functions that render use, too. */
const sources = new Map(
  globSync('**/*.eta', { cwd: folder }).map((file) => {
    const name = file.replace('.eta', '');
    const code = partsOf(join(folder, file)).map(({ isShown, code }) =>
      isShown ? `show(${code.replace("include('/", "include('")});` : code,
    );
    const declarations = [
      `import type { Views } from '${join(room, 'render/render.ts')}';`,
      `declare const it: Readonly<Views['${name}']>;`,
      'type Whole<Data> = Omit<typeof it, keyof Data> & Data;',
      'declare function show(value: string | number): void;',
      // A part gets the view of its template, and what is handed to it.
      'declare function include<Name extends keyof Views, const Data extends Partial<Views[Name]> = {}>(',
      '  name: Name, data?: Data): Whole<Data> extends Views[Name] ? string : { fieldsAreMissing: Name };',
    ];
    return [join(folder, `${name}.ts`), [...declarations, 'export function template() {', ...code, '}'].join('\n')];
  }),
);

describe('templates of hosted pages', () => {
  let compiled: Compiled;

  before(() => {
    compiled = new Compiled(sources, [join(room, 'receipt-mail.ts')]);
  });

  it('every field that a template shows is one of its view', () => {
    expect(compiled.files)
      .to.have.length(sources.size + 1)
      .and.length.above(5);
    const faults = compiled.files.flatMap((file) => compiled.faultsOf(file));
    expect(faults.map(({ message }) => message)).to.deep.equal([]);
  });

  it('every field of a view is shown by a template, or read for a mail', () => {
    const isView = (node: ts.Node) => ts.isVariableDeclaration(node) && node.name.getText() === 'it';
    expect(compiled.unreadFields(isView, /pages\/(view|render)\//)).to.deep.equal([]);
  });
});
