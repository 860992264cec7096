import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EXAMPLE, sdks, VERSIONS } from '../../proofs/sdk/generators.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The SDK generators', () => {
  it('the SDK generators each have a scenario, and each scenario a generator', () => {
    const folders = readdirSync(new URL('../../proofs/sdk', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(sdks.map(({ name }) => name)).to.have.members(folders);
    for (const name of folders) {
      const files = ['scenario.ts', 'scenario.py', 'Scenario.java', 'main.go', 'src/main.rs'];
      const here = files.filter((file) => existsSync(new URL(`../../proofs/sdk/${name}/${file}`, import.meta.url)));
      expect(here, name).to.have.length(1);
    }
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
    const macro = /^ *(progenitor::generate_api!.*)$/m.exec(read('proofs/sdk/progenitor/src/main.rs'))?.[1];
    expect(guide).to.include(macro);
    const [, toml = ''] = /```toml\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(read('proofs/sdk/progenitor/Cargo.toml').split('\n')).to.include.members(toml.trim().split('\n'));
    expect(guide).to.include(read('proofs/sdk/oapi-codegen/go.mod').match(/runtime v(\S+)/)?.[1]);
  });

  it('the SDK generators are pinned to the same versions everywhere', () => {
    expect(read('proofs/sdk/requirements.txt')).to.include(`openapi-python-client==${VERSIONS.openapiPythonClient}\n`);
    expect(read('proofs/sdk/progenitor/Cargo.toml')).to.include(`progenitor = "=${VERSIONS.progenitor}"\n`);
  });
});
