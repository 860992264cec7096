import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import {
  type Described,
  describeContract,
  listSuccesses,
} from '../../src/documentation/content/reference/described.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { SettableClock } from '../harness/clock.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout, start } from '../harness/processes.ts';
import { CollectionRun, ITEMS } from './collection.ts';

/** Commands of a language in a folder with all samples. */
interface Language {
  label: string;
  /** The command that must be on this machine, with the argument that prints its version. */
  tool: [command: string, argument: string];
  /** Returns the file of an operation's sample. */
  file: (name: string) => string;
  /** Checks or compiles all samples at once. */
  build?: string;
  /** Returns the command that runs one sample. */
  run: (name: string) => string;
  /** True if only the samples of a read, a create, a change and a deletion run. The others are compiled. */
  isSlow?: boolean;
}

const LANGUAGES: readonly Language[] = [
  { label: 'curl', tool: ['curl', '--version'], file: (name) => `${name}.sh`, run: (name) => `bash ${name}.sh` },
  {
    label: 'TypeScript',
    tool: ['node', '--version'],
    file: (name) => `${name}.ts`,
    build: 'tsc -p .',
    run: (name) => `node ${name}.ts`,
  },
  {
    label: 'Python',
    tool: ['python3', '--version'],
    file: (name) => `${name}.py`,
    run: (name) => `python3 ${name}.py`,
  },
  {
    label: 'Go',
    tool: ['go', 'version'],
    file: (name) => `${name}/main.go`,
    build: 'go mod init samples && go vet ./... && test -z "$(gofmt -l .)"',
    run: (name) => `go run ./${name}`,
    isSlow: true,
  },
  {
    label: 'Java',
    tool: ['javac', '-version'],
    file: (name) => `${name}.java`,
    build: 'javac -Xlint:all -Werror -d bin *.java',
    run: (name) => `java -XX:TieredStopAtLevel=1 -cp bin ${name}`,
    isSlow: true,
  },
];

const PATH = `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}`;

/** Variables of the collection, by the beginning of the ids that they hold. */
const VARIABLES = { loc: 'locationId', plink: 'linkId', we: 'endpointId', evt: 'deliveryId' } as const;

/** Operations whose samples run in every language: one for each method. */
const ONE_PER_METHOD = ['listLocations', 'createPaymentLink', 'updatePaymentLink', 'deleteWebhookEndpoint'];

const OPERATIONS = describeContract(document).filter(({ isEvent }) => !isEvent);

/** Returns the name of an operation's class. */
function nameOf({ id }: Described): string {
  return id.replace(/^./, (letter) => letter.toUpperCase());
}

describe('the samples of the reference and the Postman collection', function () {
  this.timeout(180_000);
  const service = useService({ clock: new SettableClock(new Date().toISOString()) });
  const receiver = useReceiver();

  /** Returns a run of the collection with the key of a new practice. */
  async function newRun(): Promise<CollectionRun> {
    const { practiceId, test } = await service.practice();
    await service.location(practiceId, 'Harbor');
    return new CollectionRun({ baseUrl: service.baseUrl, apiKey: test.key ?? '', webhookUrl: receiver.url });
  }

  it('the Postman collection has every operation, and each of its requests succeeds from top to bottom', async () => {
    expect(new Set(ITEMS.map(({ name }) => name))).to.deep.equal(new Set(OPERATIONS.map(({ summary }) => summary)));
    const run = await newRun();
    for (const item of ITEMS) await run.send(item);
    expect([...run.variables.keys()]).to.include.members(Object.values(VARIABLES));
  });

  for (const { label, tool, file, build, run, isSlow = false } of LANGUAGES) {
    it(`the samples in ${label} ${isSlow ? 'compile for every operation, and' : 'of every operation'} succeed`, async function () {
      if (spawnSync(tool[0], [tool[1]]).error !== undefined) leaveOut(this, `no ${tool[0]} on this machine`);
      const folder = mkdtempSync(join(tmpdir(), 'paylinks-samples-'));
      afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
      const execute = async (command: string, env: NodeJS.ProcessEnv = {}) => {
        const environment = { ...process.env, GOTOOLCHAIN: 'local', PATH, ...env };
        const { code, stdout, stderr } = await start('bash', ['--norc', '-c', command], {
          cwd: folder,
          env: environment,
        }).finished;
        expect(code, `${command}: ${stdout}${stderr}`).to.equal(0);
        return stdout;
      };
      const keys = new Map<string, string>();
      for (const operation of OPERATIONS) {
        const prepared = await newRun();
        await prepared.prepare(operation.summary);
        const { variables } = prepared;
        keys.set(operation.id, variables.get('apiKey') ?? '');
        const { source = '' } = operation.samples.find((sample) => sample.label === label) ?? {};
        const path = join(folder, file(nameOf(operation)));
        mkdirSync(join(path, '..'), { recursive: true });
        const withIds = source.replaceAll(
          /\b(loc|plink|we|evt)_\w{12}/g,
          (_, kind: keyof typeof VARIABLES) => `${variables.get(VARIABLES[kind])}`,
        );
        const since = new Date(Date.now() - 3_600_000).toISOString();
        writeFileSync(
          path,
          withIds
            .replace('2026-11-18T00:00:00Z', since)
            .replaceAll(/https:\/\/billing[\w./]+/g, receiver.url)
            .concat('\n'),
        );
      }
      if (label === 'TypeScript') {
        const types = { typeRoots: [join(checkout, 'node_modules/@types')], types: ['node'], rootDir: folder };
        const config = {
          extends: join(checkout, 'tsconfig.json'),
          compilerOptions: types,
          include: ['*.ts'],
          exclude: [],
        };
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      }
      if (build !== undefined) await execute(build);
      for (const operation of OPERATIONS.filter(({ id }) => !isSlow || ONE_PER_METHOD.includes(id))) {
        const env = { PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: keys.get(operation.id) };
        const output = await execute(run(nameOf(operation)), env);
        // curl prints the body alone.
        expect(output, operation.id).not.to.include('"error":');
        if (label !== 'curl')
          expect(output, operation.id).to.match(new RegExp(`^${listSuccesses(operation)[0]?.status}\\b`));
      }
    });
  }
});
