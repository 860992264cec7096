import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Report, tableOf } from '../../proofs/bench/report.ts';
import { useFolder } from '../harness/fixtures.ts';
import { start } from '../harness/processes.ts';

describe('make bench', () => {
  const out = join(useFolder('bench'), 'bench.json');

  it('make bench measures a scenario beside its floor and keeps a report', async function () {
    this.timeout(120_000);
    const env = { ...process.env, ONLY: 'get', QUICK: '1', OUT: out, COMPARE: '', PROFILE: '' };
    const { code, stdout, stderr } = await start(process.execPath, ['proofs/bench.ts'], { env }).finished;
    expect(code, stderr).to.equal(0);
    const report = JSON.parse(readFileSync(out, 'utf8')) as Report;
    expect(report).to.include({ version: 1, quick: true });
    expect(report.machine).to.have.all.keys('cpu', 'cores', 'memoryGb', 'system', 'node', 'postgres', 'loadBefore');
    expect(Object.keys(report.othersBusy)).to.deep.equal(['get']);
    const rates = report.figures.filter(({ unit }) => unit === 'requests/s');
    expect(rates.map(({ name }) => name)).to.deep.equal(['one active link', 'one paid link']);
    for (const figure of rates) {
      expect(figure).to.deep.include({ scenario: 'get', target: { of: 'ratio', limit: 0.6 } });
      expect(figure.meetsTarget).to.be.a('boolean');
      for (const summary of [figure, figure.floor, figure.ratio]) {
        expect(summary?.repetitions).to.have.length(1);
        expect(summary?.median).to.be.greaterThan(0);
      }
    }
    expect(stdout).to.contain(tableOf(report.figures));
  });

  it('make bench refuses a scenario that it does not know, by name', async () => {
    const env = { ...process.env, ONLY: 'speed', OUT: out };
    const { code, stderr } = await start(process.execPath, ['proofs/bench.ts'], { env }).finished;
    expect(code).to.equal(1);
    expect(stderr).to.contain('no scenario speed; there are create,');
  });
});
