import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDashboard } from '@grafana/schema';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

const text = readFileSync(join(checkout, 'operations/grafana/dashboard.json'), 'utf8');

/** Compiles dashboards with the type that Grafana publishes, and returns the first error of each, or `undefined`. */
function errorsOf(dashboards: readonly object[]): (string | undefined)[] {
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
    });
    const lines = stdout.split('\n').filter((line) => /error TS/.test(line));
    // An error elsewhere would say nothing about the dashboards.
    expect(lines.filter((line) => !line.startsWith('copy-'))).to.deep.equal([]);
    return files.map((_, index) => lines.find((line) => line.startsWith(`copy-${index}.ts`)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the dashboard', () => {
  it('the dashboard fits the types that Grafana publishes for its version, which refuse a wrong one', () => {
    const dashboard = JSON.parse(text);
    expect(dashboard.schemaVersion).to.equal(defaultDashboard.schemaVersion);
    const [row, panel] = dashboard.panels;
    const wrong = [
      { ...dashboard, panels: [row, { ...panel, titel: 'misspelt' }] },
      { ...dashboard, panels: [row, { ...panel, gridPos: { ...panel.gridPos, y: 'a text' } }] },
      { ...dashboard, panels: [row, { ...panel, type: undefined }] },
    ];
    const [error, ...errors] = errorsOf([dashboard, ...wrong]);
    expect(error).to.equal(undefined);
    for (const [index, refused] of errors.entries()) expect(refused, `${index}`).to.be.a('string');
  });
});
