import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EXAMPLE, sdks } from '../../scripts/sdk/generators.ts';
import { faultsOf, type Requests, STEPS } from '../../scripts/sdk/steps.ts';
import { VERSIONS } from '../../scripts/sdk/tools.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

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

  it('the SDK generators each have a scenario that reports every step of the table', () => {
    for (const { name } of sdks) {
      const [file = ''] = globSync(`scripts/sdk/${name}/{scenario.*,Scenario.java,main.go,src/main.rs}`, { cwd: ROOT });
      const reported = [...read(file).matchAll(/^\s*step\(['"](.+)['"]\)/gm)].map(([, step]) => step);
      expect(reported, file).to.have.members(STEPS);
    }
  });

  it('the run of a scenario fails for each step, operation and query parameter that it leaves out', () => {
    const output = STEPS.map((step) => `step ${step}\n`).join('');
    const lists = ['page', 'pageSize'];
    const ofLinks = ['status', 'externalReference', 'locationId', 'createdAfter', 'createdBefore', 'paidAfter'];
    const ofDeliveries = ['endpointId', 'paymentLinkId', 'status', 'type', 'since'];
    const requests = new Map<OperationId, Set<string>>([
      ['listPaymentLinks', new Set([...ofLinks, ...lists])],
      ['listWebhookDeliveries', new Set([...ofDeliveries, ...lists])],
    ]);
    expect(faultsOf(output, requests)).to.deep.equal([]);
    for (const step of STEPS) {
      const fault = `The scenario did not report the step "${step}".`;
      expect(faultsOf(output.replace(`step ${step}\n`, ''), requests)).to.deep.equal([fault]);
    }
    for (const [operationId, parameters] of requests) {
      const without = (left: ReadonlySet<string> | null): Requests =>
        new Map(
          [...requests].flatMap(([id, all]) => (id !== operationId ? [[id, all]] : left === null ? [] : [[id, left]])),
        );
      expect(faultsOf(output, without(null))).to.deep.equal([`The scenario did not request ${operationId}.`]);
      for (const name of parameters) {
        const fault = `The scenario did not request ${operationId} with ${name}.`;
        expect(faultsOf(output, without(parameters.difference(new Set([name]))))).to.deep.equal([fault]);
      }
    }
  });

  it('the SDK generators are documented with the versions and the commands that are tried', () => {
    const guide = read('docs/guides/sdks.md');
    for (const version of Object.values(VERSIONS)) {
      if (version !== VERSIONS.typescript) expect(guide).to.include(version);
    }
    const commands = guide.replaceAll(/ \\\n +/g, ' ');
    const generators = sdks.flatMap(({ generate }) => generate);
    for (const { command } of [...generators, ...EXAMPLE]) {
      // The guide works in one folder, with the tools on its path.
      const shown = command.map((word) => (isAbsolute(word) ? basename(word) : word)).join(' ');
      if (command[0] !== 'cp')
        expect(commands, shown).to.match(new RegExp(`^(node_modules/\\.bin/)?${RegExp.escape(shown)}$`, 'm'));
    }
    expect(guide).to.include(read('scripts/sdk/hey-api/client.ts'));
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
