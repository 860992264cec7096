import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Eta } from 'eta';
import ts from 'typescript';
import { checkout } from '../harness/processes.ts';

const room = join(checkout, 'src/pages');
const folder = join(room, 'render/templates');

/** Each template as TypeScript: its code, with its values as arguments. So the compiler checks what it reads of its view. */
const sources = new Map(
  globSync('**/*.eta', { cwd: folder }).map((file) => {
    const name = file.replace('.eta', '');
    const code = new Eta().parse(readFileSync(join(folder, file), 'utf8')).map((part) => {
      if (typeof part === 'string') return '';
      return part.t === 'e' ? part.val : `show(${part.val.replace("include('/", "include('")});`;
    });
    return [
      join(folder, `${name}.ts`),
      [...declarations(name), 'export function template() {', ...code, '}'].join('\n'),
    ];
  }),
);

/** Declares the view of a template, and functions of the engine. A part gets the view of its template, and what is handed to it. */
function declarations(name: string): string[] {
  return [
    `import type { Views } from '${join(room, 'render/render.ts')}';`,
    `declare const it: Readonly<Views['${name}']>;`,
    'type Whole<Data> = Omit<typeof it, keyof Data> & Data;',
    'declare function show(value: string | number): void;',
    "declare function layout(name: Whole<{ body: string }> extends Views['layout'] ? '/layout' : never): void;",
    'declare function include<Name extends keyof Views, const Data extends Partial<Views[Name]> = {}>(',
    '  name: Name, data?: Data): Whole<Data> extends Views[Name] ? string : { fieldsAreMissing: Name };',
  ];
}

describe('templates of hosted pages', () => {
  const options: ts.CompilerOptions = {
    ...ts.readConfigFile(join(checkout, 'tsconfig.json'), ts.sys.readFile).config.compilerOptions,
    ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, moduleDetection: undefined, types: ['node'] },
    ...{ lib: ['lib.esnext.d.ts'] },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path) ?? readFile(path);
  const program = ts.createProgram([...sources.keys(), join(room, 'receipt-mail.ts')], options, host);
  const checker = program.getTypeChecker();
  const files = [...sources.keys()].flatMap((path) => program.getSourceFile(path) ?? []);

  it('every field that a template shows is one of its view', () => {
    expect(files).to.have.length(sources.size).and.length.above(5);
    const faults = files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).to.deep.equal([]);
  });

  it('every field of a view is shown by a template, or read for a mail', () => {
    const read = new Set<ts.Node>();
    const visit = (node: ts.Node): void => {
      for (const declaration of declarationsOf(node)) read.add(declaration);
      ts.forEachChild(node, visit);
    };
    const users = program.getSourceFiles().filter(({ fileName }) => /pages\/[\w-]+\.ts$/.test(fileName));
    for (const file of [...files, ...users]) visit(file);
    const unread = new Set<string>();
    const seen = new Set<ts.Type>();
    const walk = (type: ts.Type): void => {
      if (seen.has(type)) return;
      seen.add(type);
      for (const part of type.isUnionOrIntersection() ? type.types : []) walk(part);
      for (const part of checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [])
        walk(part);
      for (const property of type.getProperties()) {
        const own = (property.declarations ?? []).filter((node) =>
          /pages\/(view|render)\//.test(node.getSourceFile().fileName),
        );
        if (own.length === 0) continue;
        if (!own.some((node) => read.has(node))) unread.add(property.name);
        walk(checker.getTypeOfSymbol(property));
      }
    };
    const [first] = files;
    if (first === undefined) throw new Error('there are templates');
    for (const file of files) {
      for (const statement of file.statements) {
        if (ts.isVariableStatement(statement))
          walk(checker.getTypeAtLocation(statement.declarationList.declarations[0] ?? statement));
      }
    }
    expect(seen.size, 'views have fields').to.be.above(10);
    expect([...unread]).to.deep.equal([]);
  });

  /** Declarations of the property that a node reads, by its name or by destructuring. */
  function declarationsOf(node: ts.Node): readonly ts.Node[] {
    if (ts.isPropertyAccessExpression(node)) return checker.getSymbolAtLocation(node.name)?.declarations ?? [];
    if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return [];
    const { text } = (node.propertyName ?? node.name) as ts.Identifier;
    return checker.getTypeAtLocation(node.parent).getProperty(text)?.declarations ?? [];
  }
});
