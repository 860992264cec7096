import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { EXAMPLE, sdks, VERSIONS } from '../../scripts/sdk/generators.ts';
import { unpackLastRelease } from '../../scripts/sdk/release.ts';
import { omissionsIn } from '../../scripts/sdk/requests.ts';
import { afterThisTest } from '../harness/after-this-test.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The SDK generators', () => {
  it('the scenarios of a release are those of the commit that added its contract, and unknown without its history', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paylinks-release-'));
    afterThisTest(() => rmSync(folder, { recursive: true }));
    const origin = join(folder, 'origin');
    mkdirSync(origin);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: origin, stdio: 'ignore' });
    const commit = (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(origin, path)), { recursive: true });
        writeFileSync(join(origin, path), text);
      }
      git('add', '.');
      git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--message', 'change');
    };
    git('init');
    const [scenario, contract] = ['scripts/sdk/one/scenario.ts', read('contract/released/1.0.0.yaml')];
    commit({ 'contract/released/1.0.0.yaml': contract, [scenario]: 'old', 'docs/guides/sdks.md': '' });
    commit({ 'contract/released/1.1.0.yaml': contract, [scenario]: 'released' });
    commit({ [scenario]: 'present' });
    const release = unpackLastRelease(origin, join(folder, 'released'));
    expect(release?.version).to.equal('1.1.0');
    expect(readFileSync(join(release?.root ?? '', scenario), 'utf8')).to.equal('released');
    expect(JSON.parse(readFileSync(join(release?.contracts ?? '', 'openapi.json'), 'utf8'))).to.have.property('paths');
    git('clone', '--depth', '1', `file://${origin}`, '../shallow');
    expect(unpackLastRelease(join(folder, 'shallow'), join(folder, 'released'))).to.equal(null);
  });

  it('the SDK generators each have a scenario, and each scenario a generator', () => {
    const folders = readdirSync(new URL('../../scripts/sdk', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(sdks.map(({ name }) => name)).to.have.members(folders);
    for (const name of folders) {
      const files = ['scenario.ts', 'scenario.py', 'Scenario.java', 'main.go', 'src/main.rs'];
      const here = files.filter((file) => existsSync(new URL(`../../scripts/sdk/${name}/${file}`, import.meta.url)));
      expect(here, name).to.have.length(1);
    }
  });

  it('the run of a scenario fails for an operation and a query parameter that it leaves out', () => {
    const all = omissionsIn(new Map());
    expect(all).to.have.length(10).and.to.include('The scenario did not request createPaymentLink.');
    const requested = new Map([
      ['listPaymentLinks', new Set(['page', 'pageSize', 'status', 'createdAfter', 'paidAfter'])],
    ]);
    expect(omissionsIn(requested).filter((text) => !all.includes(text))).to.deep.equal([
      'The scenario did not request listPaymentLinks with externalReference.',
      'The scenario did not request listPaymentLinks with locationId.',
      'The scenario did not request listPaymentLinks with createdBefore.',
    ]);
  });

  it('the SDK generators are documented with the versions and the commands that are tried', () => {
    const guide = read('docs/guides/sdks.md');
    for (const version of Object.values(VERSIONS)) {
      if (version !== VERSIONS.typescript) expect(guide).to.include(version);
    }
    const commands = guide.replaceAll(/ \\\n +/g, ' ');
    for (const command of [...sdks.flatMap(({ generate }) => generate ?? []), ...EXAMPLE]) {
      expect(commands, command).to.match(new RegExp(`^(node_modules/\\.bin/)?${RegExp.escape(command)}$`, 'm'));
    }
    const macro = /^ *(progenitor::generate_api!.*)$/m.exec(read('scripts/sdk/progenitor/src/main.rs'))?.[1];
    expect(guide).to.include(macro);
    const [, toml = ''] = /```toml\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(read('scripts/sdk/progenitor/Cargo.toml').split('\n')).to.include.members(toml.trim().split('\n'));
    expect(guide).to.include(read('scripts/sdk/oapi-codegen/go.mod').match(/runtime v(\S+)/)?.[1]);
  });

  it('the SDK generators are pinned to the same versions everywhere', () => {
    expect(read('scripts/sdk/requirements.txt')).to.include(`openapi-python-client==${VERSIONS.openapiPythonClient}\n`);
    expect(read('scripts/sdk/progenitor/Cargo.toml')).to.include(`progenitor = "=${VERSIONS.progenitor}"\n`);
  });
});
