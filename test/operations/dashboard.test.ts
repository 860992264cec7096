import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDashboard } from '@grafana/schema';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';
import { changedCopies, type Value, withUnknown, withWrongType } from './schemas/changed-copies.ts';

const text = readFileSync(join(checkout, 'operations/grafana/dashboard.json'), 'utf8');
const dashboard = JSON.parse(text) as { [name: string]: Value; panels: Value[] };
/** The dashboard with one row and one panel, of which there are many alike. */
const sample = { ...dashboard, panels: dashboard.panels.slice(0, 2) };

/**
 * Compiles dashboards with the type that Grafana publishes, and returns the first error of each, or `undefined`. One run
 * of the compiler checks all of them.
 */
function errorsOf(dashboards: readonly Value[]): (string | undefined)[] {
  const local = join(checkout, '.local');
  mkdirSync(local, { recursive: true });
  const folder = mkdtempSync(join(local, 'dashboards-'));
  try {
    const files = dashboards.map((copy, index) => {
      const file = join(folder, `copy-${index}.ts`);
      const type = "import type { DashboardFile } from '../../test/operations/schemas/dashboard.ts';";
      writeFileSync(file, `${type}\nexport const dashboard: DashboardFile = ${JSON.stringify(copy, null, 1)};\n`);
      return file;
    });
    const form = ['--noEmit', '--pretty', 'false', '--ignoreConfig', '--types', ''];
    const options = [...form, '--strict', '--skipLibCheck', '--module', 'nodenext', '--allowImportingTsExtensions'];
    const { stdout } = spawnSync(process.execPath, [join(checkout, 'node_modules/.bin/tsc'), ...options, ...files], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    const first = new Map<string, string>();
    for (const [, file = '', error = ''] of stdout.matchAll(/^(copy-\d+\.ts)\S*: (error .*)$/gm)) {
      if (!first.has(file)) first.set(file, error);
    }
    // An error elsewhere would say nothing about the dashboards.
    expect(stdout.split('\n').filter((line) => /error TS/.test(line) && !line.startsWith('copy-'))).to.deep.equal([]);
    return dashboards.map((_, index) => first.get(`copy-${index}.ts`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the dashboard', () => {
  it('the dashboard fits the types that Grafana publishes for its version', () => {
    expect(dashboard.schemaVersion).to.equal(defaultDashboard.schemaVersion);
    expect(errorsOf([dashboard])).to.deep.equal([undefined]);
  });

  for (const [what, replace] of [
    ['an unknown property', withUnknown],
    ['a value of a wrong type', withWrongType],
  ] as const) {
    it(`${what} is refused wherever it stands`, () => {
      const copies = [...changedCopies(sample, replace)];
      const errors = errorsOf(copies.map(([, copy]) => copy));
      const accepted = copies.filter((_, index) => errors[index] === undefined).map(([path]) => path);
      // The query of a variable may be anything.
      expect(accepted.filter((path) => path !== '/templating/list/0/query')).to.deep.equal([]);
      expect(copies).to.have.length.at.least(10);
    });
  }

  it('a property that is missing is refused', () => {
    const required = [
      '/schemaVersion',
      '/panels/0/collapsed',
      '/panels/1/type',
      '/panels/1/gridPos/y',
      '/panels/1/targets/0/expr',
    ];
    const copies = required.flatMap((path) => [...changedCopies(sample, (at, here) => without(at, here, path))]);
    expect(copies).to.have.length(required.length);
    const errors = errorsOf(copies.map(([, copy]) => copy));
    expect(required.filter((_, index) => errors[index] === undefined)).to.deep.equal([]);
  });
});

/** Leaves a property out of the object that has it, which stands at `here`. */
function without(at: Value, here: string, path: string): Value | undefined {
  if (typeof at !== 'object' || at === null || Array.isArray(at) || !path.startsWith(`${here}/`)) return undefined;
  const { [path.slice(here.length + 1)]: left, ...rest } = at;
  return left === undefined ? undefined : rest;
}
