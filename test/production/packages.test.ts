import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkout, type Finished, start } from '../harness/processes.ts';
import { productionPackages } from './npm.ts';

/** A registry's answer about `koa`, in the form of its bulk advisories. */
const ADVISORY = {
  koa: [
    {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'Made up for a test',
      severity: 'high',
      vulnerable_versions: '<999',
      cwe: [],
      cvss: { score: 0, vectorString: null },
    },
  ],
};

describe('make audit', () => {
  let registry: Server;
  let answer: { status: number; body: string };

  before(async () => {
    registry = createServer((request, response) => {
      request.resume();
      const isAudit = request.url?.includes('/advisories/bulk') === true;
      response.writeHead(isAudit ? answer.status : 404, { 'content-type': 'application/json' });
      response.end(isAudit ? answer.body : '{}');
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });

  after(() => {
    registry.closeAllConnections();
    registry.close();
  });

  function audit(status: number, body: object): Promise<Finished> {
    answer = { status, body: JSON.stringify(body) };
    const { port } = registry.address() as AddressInfo;
    const npm = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: '0' };
    return start(process.execPath, ['scripts/audit.ts'], { cwd: checkout, env: { ...process.env, ...npm } }).finished;
  }

  it('make audit passes when the registry knows of no vulnerability', async () => {
    const { code, stdout } = await audit(200, {});
    expect([code, stdout]).to.deep.equal([0, 'The registry knows of 0 vulnerable packages.\n']);
  });

  it('make audit fails when the registry knows of one, and names the package and the advisory', async () => {
    const { code, stdout } = await audit(200, ADVISORY);
    expect(code).to.equal(1);
    expect(stdout).to.include('high: koa').and.include('https://advisories.example/1');
  });

  for (const status of [404, 405, 503]) {
    it(`make audit says that nothing was checked when the registry answers audits with ${status}`, async () => {
      const { code, stdout } = await audit(status, {});
      expect(code).to.equal(0);
      expect(stdout).to.include('No answer').and.include('Nothing was checked').and.not.include('knows of');
    });
  }
});

/** The part of a CycloneDX document that the tests read. */
interface BillOfMaterials {
  bomFormat: string;
  components: { name: string; version: string; hashes?: { alg: string; content: string }[] }[];
}

describe('make sbom', () => {
  it('make sbom names every package of a production install with its hash, and none that only development needs', async () => {
    const { code, stdout, stderr } = await start('make', ['sbom'], { cwd: checkout }).finished;
    expect(code, stderr).to.equal(0);
    const [, file = ''] = /^(.*): \d+ packages$/m.exec(stdout) ?? [];
    const document: BillOfMaterials = JSON.parse(readFileSync(file, 'utf8'));
    const production = productionPackages().map(({ name, version }) => `${name}@${version}`);
    expect(document.bomFormat).to.equal('CycloneDX');
    const named = document.components.map(({ name, version }) => `${name}@${version}`);
    expect(named.toSorted()).to.deep.equal([...new Set(production)].toSorted());
    const unproven = document.components.filter(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512') !== true);
    expect(unproven).to.deep.equal([]);
  });
});
