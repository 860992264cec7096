import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { checkout } from '../harness/processes.ts';
import { Compiled, partsOf } from '../harness/templates.ts';

/*
 * A screen hands a view to a template by an object with `template` and `view`, or by `part('name', view)`. This test puts the code of
 * the template behind each view, with all parts that it includes. So the compiler checks what the template reads of it.
 */

const room = join(checkout, 'src/console');
const folder = join(room, 'render/templates');
const RENDER = join(room, 'render/render.ts');

/** Templates of pages and parts that get no view of a screen. */
const WITHOUT_VIEW = /^(layout|problem|blocks|parts\/csrf)$/;

/** Errors of the compiler about properties that do not exist. Whether a value may be null depends on more than types say. */
const UNKNOWN_PROPERTY = [2339, 2551];

/** Values that the engine gives to every template. Pages of people without a session do not read those of one. */
const DECLARATIONS = `declare function insert(value: unknown): void;
type FrameView_ = import('${RENDER}').FrameView;
declare const frame: { [Key in keyof FrameView_]: NonNullable<FrameView_[Key]> };
`;

/** Number of views behind which each template stands. */
const uses = new Map<string, number>();

/** Returns the code of a template, with that of the parts which it includes by name. */
function codeOf(name: string, within: readonly string[] = []): string {
  uses.set(name, (uses.get(name) ?? 0) + 1);
  const code = partsOf(join(folder, `${name}.eta`)).map(({ isShown, code }) => {
    if (!isShown) return code;
    const [, target, , data = 'it'] = /^include\('\/?([^']+)'(,([\s\S]+))?\)$/.exec(code) ?? [];
    if (target === undefined) return code.includes('include(') ? '' : `insert(${code});`;
    if (within.includes(target)) return `insert(${data});`;
    return `((it) => {${codeOf(target, [...within, target])}})({ ...it, ...(${data}) });`;
  });
  return `/*<${name}>*/${code.join('\n')}/*</>*/`;
}

/** Returns the source of a screen with the code of its templates. */
function withTemplates(path: string): string {
  const text = readFileSync(path, 'utf8');
  if (path === RENDER) {
    const typed = text.replace('}: Frame): object {', '}: Frame) {');
    return `${typed}\nexport type FrameView = ReturnType<typeof frameView>;\n`;
  }
  const edits: { from: number; to: number; text: string }[] = [];
  const hand = (template: ts.Expression | undefined, view: ts.Node | undefined, prefix = '') => {
    if (template === undefined || view === undefined || !ts.isStringLiteral(template)) return;
    if (WITHOUT_VIEW.test(template.text)) return;
    const it = "const it = { ...frame, view, title: '', template: '' };";
    const code = codeOf(template.text.replace(/^\//, ''));
    const whole = `${prefix}((view) => { ${it} ${code} return view; })(${view.getText()})`;
    edits.unshift({ from: view.getStart(), to: view.end, text: whole });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const find = (name: string) => node.properties.find((one) => one.name?.getText() === name);
      const [template, view] = [find('template'), find('view')];
      if (template !== undefined && ts.isPropertyAssignment(template)) {
        if (view !== undefined && ts.isPropertyAssignment(view)) hand(template.initializer, view.initializer);
        else hand(template.initializer, view?.name, 'view: ');
      }
    }
    if (ts.isCallExpression(node) && /(^|\.)part$/.test(node.expression.getText())) {
      hand(node.arguments[0], node.arguments[1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true));
  const whole = edits.reduce((all, edit) => all.slice(0, edit.from) + edit.text + all.slice(edit.to), text);
  return edits.length === 0 ? text : `${whole}\n${DECLARATIONS}`;
}

describe('templates of the console', () => {
  const paths = globSync('{screens,routing,render}/**/*.ts', { cwd: room }).map((path) => join(room, path));
  let compiled: Compiled;

  before(() => {
    compiled = new Compiled(new Map(paths.map((path) => [path, withTemplates(path)])));
  });

  it('every template is shown by a screen, and reads only fields that a view of it has', () => {
    const faults = new Map<string, number>();
    for (const { before, code, message } of compiled.files.flatMap((file) => compiled.faultsOf(file))) {
      const template = templateAt(before);
      if (template === null || !UNKNOWN_PROPERTY.includes(code)) continue;
      const fault = `${template}: ${message.replace(/ on type .*/s, '')}`;
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
    }
    // Screens share templates, and a field of one may be missing in the view of another.
    const missing = [...faults].filter(([fault, count]) => count >= (uses.get(fault.split(':')[0] ?? '') ?? 0));
    expect(missing.map(([fault]) => fault)).to.deep.equal([]);
    const templates = globSync('**/*.eta', { cwd: folder }).map((file) => file.replace('.eta', ''));
    expect(templates.filter((name) => !uses.has(name) && !WITHOUT_VIEW.test(name))).to.deep.equal([]);
  });

  it('every field of a view is shown by a template, or read by the screen', () => {
    const isView = (node: ts.Node) =>
      ts.isParameter(node) &&
      node.name.getText() === 'view' &&
      node.parent.getText().includes('{ const it = { ...frame');
    const unread = compiled.unreadFields(isView, /console\/(screens|routing|render)\//);
    expect(unread).to.deep.equal([]);
  });
});

/** Returns the template whose code the text ends in; null outside of templates. */
function templateAt(text: string): string | null {
  const open: string[] = [];
  for (const [, name = ''] of text.matchAll(/\/\*<([\w/-]+)>\*\//g)) {
    if (name === '/') open.pop();
    else open.push(name);
  }
  return open.at(-1) ?? null;
}
