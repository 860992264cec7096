import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sdks } from '../../scripts/sdk/generators.ts';
import { VERSIONS } from '../../scripts/sdk/tools.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The SDK generators', () => {
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

  it('the SDK generators are documented with the versions and the options that are tried', () => {
    const guide = read('docs/guides/sdks.md');
    for (const version of Object.values(VERSIONS)) {
      if (version !== VERSIONS.typescript) expect(guide).to.include(version);
    }
    for (const { name, generate } of sdks) {
      const words = generate.flatMap(({ command }) => command).join(' ');
      for (const [option] of words.matchAll(
        /(?<=[ ,])(?:\w+=(?:true|false|native|reqwest)|-c \S+|types,client,skip-prune)/g,
      )) {
        if (['generateInterfaces=false', 'hideGenerationTimestamp=true'].includes(option)) continue;
        expect(guide, `${name}: ${option}`).to.include(option);
      }
    }
    expect(guide).to.include(read('scripts/sdk/oapi-codegen/go.mod').match(/runtime v(\S+)/)?.[1]);
  });

  it('the SDK generators are pinned to the same versions everywhere', () => {
    expect(read('scripts/sdk/requirements.txt')).to.include(`openapi-python-client==${VERSIONS.openapiPythonClient}\n`);
    expect(read('scripts/sdk/progenitor/Cargo.toml')).to.include(`progenitor = "=${VERSIONS.progenitor}"\n`);
  });
});
