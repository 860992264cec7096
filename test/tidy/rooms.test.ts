import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rooms of `src/`, left to right; a file imports from its own room and from rooms to its left. */
const ROOMS = [
  'platform',
  'contract',
  'practices',
  'processors',
  'access',
  'webhooks',
  'payment-links',
  'web',
  'patient-pages',
  'documentation',
  'console',
  'http',
  'main',
];

/**
 * Sub-rooms of the large rooms, left to right. A file imports from its own sub-room and from those to its left. Files
 * directly in the room are to the right of all its sub-rooms.
 */
const SUB_ROOMS: Readonly<Record<string, readonly string[]>> = {
  platform: ['base', 'database', 'jobs'],
  'platform/database': ['query', 'connection'],
  practices: ['mail', 'audit'],
  webhooks: ['model', 'send', 'endpoints', 'events', 'delivery'],
  'payment-links': ['model', 'state', 'decide', 'store', 'payments', 'api', 'checkout', 'office', 'billing', 'upkeep'],
  'patient-pages': ['texts', 'browser', 'view', 'render'],
  console: ['model', 'identity', 'browser', 'render', 'routing', 'screens'],
  'console/identity': ['sign-in', 'people'],
  main: ['metrics', 'traces', 'processes', 'cli'],
};

/** Folders hold few files, so that a reader sees all of a folder at once. */
const MAX_FILES = 14;

/** Files that a process starts with; everything else must be imported by something. */
const ENTRIES = ['src/main/cli/program.ts'];

const MAX_LINES = 300;

interface SourceFile {
  path: string;
  room: string;
  lines: number;
  text: string;
  imports: string[];
}

const files: SourceFile[] = globSync('src/**/*.ts', { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const specifiers = [
    ...text.matchAll(/^(?:import|export)[^;]*?from '(\.[^']+)';|^import '(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm),
  ];
  const imports = specifiers.map(([, from, bare, lazy]) =>
    relative(root, join(root, dirname(path), from ?? bare ?? lazy ?? '')),
  );
  const [, room = ''] = path.split('/');
  return { path, room, lines: text.split('\n').length - 1, text, imports };
});

const byPath = new Map(files.map((file) => [file.path, file]));

function roomOf(path: string): string {
  const [top, room = ''] = path.split('/');
  // Files generated from the contract belong to its room.
  if (top === 'generated') return 'contract';
  return room;
}

describe('source files', () => {
  it('source files lie in a known room', () => {
    const unknown = files.filter(({ room }) => !ROOMS.includes(room));
    expect(unknown.map(({ path }) => path)).to.deep.equal([]);
  });

  it('source files import from their own room and from rooms to their left only', () => {
    const offences = files.flatMap(({ path, room, imports }) =>
      imports.filter((target) => !mayImport(room, roomOf(target))).map((target) => `${path} → ${target}`),
    );
    expect(offences).to.deep.equal([]);
  });

  it('source files import nothing of the packages that consumers install', () => {
    const importers = files.filter(({ imports }) => imports.some((target) => target.startsWith('packages/')));
    expect(importers.map(({ path }) => path)).to.deep.equal([]);
  });

  it('source files import from their own sub-room and from sub-rooms to its left only', () => {
    const offences = files.flatMap(({ path, imports }) =>
      imports.filter((target) => !mayImportSubRoom(path, target)).map((target) => `${path} → ${target}`),
    );
    expect(offences).to.deep.equal([]);
  });

  it(`source files lie in folders of at most ${MAX_FILES} files`, () => {
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    const full = [...folders].filter(([, members]) => members.length > MAX_FILES).map(([folder]) => folder);
    expect(full).to.deep.equal([]);
  });

  it('source files import each other without circles', () => {
    expect(findCircle()).to.equal(null);
  });

  it('source files are all imported, or start a process', () => {
    const used = new Set([...files.flatMap(({ imports }) => imports), ...ENTRIES]);
    expect(files.filter(({ path }) => !used.has(path)).map(({ path }) => path)).to.deep.equal([]);
  });

  it(`source files have at most ${MAX_LINES} lines`, () => {
    expect(files.filter(({ lines }) => lines > MAX_LINES).map(({ path }) => path)).to.deep.equal([]);
  });

  it('source files have names that say what they contain', () => {
    const vague = files.filter(({ path }) => /\/(utils?|helpers?|common|types|index|misc)\.ts$/.test(path));
    expect(vague.map(({ path }) => path)).to.deep.equal([]);
  });

  it('source files read the environment in one place', () => {
    const readers = files.filter(({ text }) => /process\.env\b/.test(text)).map(({ path }) => path);
    // The commands get it from main.js.
    expect(readers).to.deep.equal([]);
  });

  it('source files make no child loggers, whose own fields pino shows without the redaction', () => {
    expect(files.filter(({ text }) => /\.child\(/.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('source files load Stripe’s SDK where Stripe is the processor, and nowhere else', () => {
    const loaders = files.filter(({ text }) => /^import (?!type )[^;]*? from 'stripe';/m.test(text));
    expect(loaders.map(({ path }) => path).sort()).to.deep.equal([
      'src/processors/stripe-calls.ts',
      'src/processors/stripe.ts',
    ]);
    const importers = files.filter(({ text }) => /^import [^;]*? from '[^']*\/stripe(-calls)?\.ts';/m.test(text));
    expect(importers.map(({ path }) => path)).to.deep.equal(['src/processors/stripe.ts']);
  });

  it('source files ask a processor what it can do, and compare its name in the room of processors only', () => {
    const comparison = /(?:name|processor|kind) [!=]== '(?:sandbox|stripe)'/;
    const asking = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
      comparison.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(asking).to.deep.equal(['src/processors/sandbox.ts']);
  });

  it('source files load OpenTelemetry in the room of traces only, and load that room only by an import at run time', () => {
    const isTraces = (path: string) => path.startsWith('src/main/traces/');
    const loaders = files.filter(({ text }) => /from '@opentelemetry\//.test(text)).map(({ path }) => path);
    expect(loaders).to.not.deep.equal([]);
    expect(loaders.filter((path) => !isTraces(path))).to.deep.equal([]);
    const importers = files.filter(({ path, imports }) => !isTraces(path) && imports.some(isTraces));
    expect(importers.map(({ path }) => path)).to.deep.equal(['src/main/processes/shared.ts']);
    expect(importers.map(({ text }) => /^import .*traces\/start/m.test(text))).to.deep.equal([false]);
  });
});

function mayImport(room: string, target: string): boolean {
  return ROOMS.indexOf(target) <= ROOMS.indexOf(room);
}

/** Returns true if no folder that holds both files forbids the import by the order of its sub-rooms. */
function mayImportSubRoom(path: string, target: string): boolean {
  return Object.entries(SUB_ROOMS).every(([room, order]) => {
    const folder = `src/${room}/`;
    if (!path.startsWith(folder) || !target.startsWith(folder)) return true;
    const place = (file: string) => {
      const [sub = '', rest] = file.slice(folder.length).split('/');
      return rest === undefined ? order.length : order.indexOf(sub);
    };
    return place(target) >= 0 && place(target) <= place(path);
  });
}

function findCircle(): string | null {
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' → ');
    if (done.has(path)) return null;
    for (const target of byPath.get(path)?.imports ?? []) {
      const circle = visit(target, [...trail, path]);
      if (circle !== null) return circle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const circle = visit(path, []);
    if (circle !== null) return circle;
  }
  return null;
}
