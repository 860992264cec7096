import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import ts from 'typescript';
import { checkout } from './processes.ts';

/*
 * Templates as TypeScript. So the compiler finds a field that a template reads and its view lacks, and a test finds one that
 * nothing reads.
 */

/** Returns the parts of a template: code, and expressions whose value it shows. Text is left out. */
export function partsOf(path: string): { isShown: boolean; code: string }[] {
  const parts = new Eta().parse(readFileSync(path, 'utf8'));
  return parts.flatMap((part) =>
    typeof part === 'string' || part.val.startsWith('layout(')
      ? []
      : [{ isShown: part.t !== 'e', code: part.val.trim() }],
  );
}

/** Files that the compiler has read, some of them with another text than on the disk. */
export class Compiled {
  readonly files: readonly ts.SourceFile[];
  readonly checker: ts.TypeChecker;
  readonly #program: ts.Program;

  /** @param sources texts by path; further files keep theirs */
  constructor(sources: ReadonlyMap<string, string>, further: readonly string[] = []) {
    const { config } = ts.readConfigFile(join(checkout, 'tsconfig.json'), ts.sys.readFile);
    const options: ts.CompilerOptions = {
      ...{ ...config.compilerOptions, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext },
      ...{ moduleDetection: undefined, types: ['node'], lib: ['lib.esnext.d.ts'] },
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    host.fileExists = (path) => sources.has(path) || fileExists(path);
    host.readFile = (path) => sources.get(path) ?? readFile(path);
    const paths = [...sources.keys(), ...further];
    this.#program = ts.createProgram(paths, options, host);
    this.checker = this.#program.getTypeChecker();
    this.files = paths.flatMap((path) => this.#program.getSourceFile(path) ?? []);
  }

  /** Returns the faults of a file, each with the text before it. */
  faultsOf(file: ts.SourceFile): { before: string; code: number; message: string }[] {
    const faults = [...this.#program.getSyntacticDiagnostics(file), ...this.#program.getSemanticDiagnostics(file)];
    return faults.map(({ start = 0, code, messageText }) => {
      return { before: file.text.slice(0, start), code, message: ts.flattenDiagnosticMessageText(messageText, ' ') };
    });
  }

  /**
   * Returns the names of the fields that no file reads.
   *
   * @param isView true for the declaration of a value whose fields a template gets
   * @param own files that declare fields of views
   */
  unreadFields(isView: (node: ts.Node) => boolean, own: RegExp): string[] {
    const read = new Set<ts.Node>();
    const views: ts.Type[] = [];
    const visit = (node: ts.Node): void => {
      if (isView(node)) views.push(this.checker.getTypeAtLocation(node));
      for (const declaration of this.#fieldsReadBy(node)) read.add(declaration);
      ts.forEachChild(node, visit);
    };
    for (const file of this.files) visit(file);
    if (views.length === 0) throw new Error('there are no views');
    const unread = new Set<string>();
    const seen = new Set<ts.Type>();
    const walk = (type: ts.Type): void => {
      if (seen.has(type)) return;
      seen.add(type);
      if (type.isUnionOrIntersection()) type.types.forEach(walk);
      if (this.checker.isArrayType(type)) this.checker.getTypeArguments(type as ts.TypeReference).forEach(walk);
      for (const property of type.getProperties()) {
        const fields = property.declarations?.filter((node) => own.test(node.getSourceFile().fileName)) ?? [];
        if (fields.length === 0) continue;
        if (!fields.some((node) => read.has(node))) unread.add(property.name);
        walk(this.checker.getTypeOfSymbol(property));
      }
    };
    for (const view of views) walk(view);
    return [...unread];
  }

  /** Declarations of the property that a node reads, by its name or by destructuring. */
  #fieldsReadBy(node: ts.Node): readonly ts.Node[] {
    if (ts.isPropertyAccessExpression(node)) return this.checker.getSymbolAtLocation(node.name)?.declarations ?? [];
    if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return [];
    const { text } = (node.propertyName ?? node.name) as ts.Identifier;
    return this.checker.getTypeAtLocation(node.parent).getProperty(text)?.declarations ?? [];
  }
}
