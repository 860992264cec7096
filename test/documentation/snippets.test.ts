import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { afterThisTest } from '../harness/after-this-test.ts';
import { SettableClock } from '../harness/clock.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout, killGroup, start, until } from '../harness/processes.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';

/** A block of code in a guide. The words behind the fence say what a test does with it. */
interface Block {
  language: string;
  /**
   * `run`: a command that ends. `serve`: one that listens on port 4000. `listen`: one that forwards events to this port.
   * `file`: the content of a file.
   */
  kind: 'run' | 'serve' | 'listen' | 'file' | 'shown';
  /** Name of the file, for the kind `file`. */
  file: string;
  code: string;
}

/** The path with the Node of the packages in front. */
const PATH = `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}`;

/** The commands of a guide's folder, which the guides put in front of the path. */
const OWN_COMMANDS = 'export PATH="$PWD/node_modules/.bin:$PATH"';

/** The port of receivers in the guides. */
const GUIDE_PORT = '4000';

/** The command that a language needs, with the argument that prints its version. */
const TOOLS: Readonly<Record<string, readonly [command: string, argument: string]>> = {
  python: ['python3', '--version'],
  go: ['go', 'version'],
  php: ['php', '--version'],
  ruby: ['ruby', '--version'],
  java: ['javac', '-version'],
};

const GUIDES = globSync('docs/guides/*.md', { cwd: checkout })
  .toSorted()
  .map((file) => {
    const text = readFileSync(join(checkout, file), 'utf8');
    return { name: basename(file, '.md'), text, blocks: blocksOf(text) };
  });

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', info = '', code = '']) => {
    const file = /file=(\S+)/.exec(info)?.[1] ?? '';
    const word = info.trim();
    const kind = file !== '' ? 'file' : word === 'run' || word === 'serve' || word === 'listen' ? word : 'shown';
    return { language, kind, file, code };
  });
}

/** Commands that prepare a laptop, with which each quickstart of a language begins. They run once, because npm takes long. */
const PREPARATION =
  GUIDES.find(({ name }) => name === 'quickstart-typescript')?.blocks.find(({ kind }) => kind === 'run')?.code ?? '';

/** Returns the command of a guide's languages that is not on this machine; undefined if all are. */
function missingTool(blocks: readonly Block[]): string | undefined {
  const tools = blocks.flatMap(({ language }) => [TOOLS[language] ?? []].filter((tool) => tool.length > 0));
  return tools.find(([command = '', argument = '']) => spawnSync(command, [argument]).status !== 0)?.[0];
}

/** Returns one script with the commands of a guide. It goes on when the port of a receiver is open, and a listener asks. */
function scriptOf(blocks: readonly Block[], port: string): string {
  const commands = blocks.flatMap(({ kind, code }) => {
    if (kind === 'run') return [code];
    if (kind === 'listen') {
      return [`(\n${code}) > listener.log 2>&1 &`, "until grep -q 'Signing secret' listener.log; do sleep 0.05; done"];
    }
    if (kind !== 'serve') return [];
    return [`(\n${code}) &`, `until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.05; done`];
  });
  return ['set -euo pipefail', OWN_COMMANDS, ...commands].join('\n').replaceAll(GUIDE_PORT, port);
}

describe('snippets of the documentation', function () {
  this.timeout(360_000);
  const service = useService({ clock: new SettableClock(new Date().toISOString()) });
  const receiver = useReceiver();

  after(async () => {
    if (prepared !== undefined) rmSync(await prepared, { recursive: true, force: true });
  });

  /** Makes a folder for this test. */
  function newFolder(name: string): string {
    const folder = mkdtempSync(join(tmpdir(), `paylinks-${name}-`));
    afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  let prepared: Promise<string> | undefined;

  /** Returns a folder in which the preparation has run. */
  async function prepare(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'paylinks-prepared-'));
    const { test } = await service.practice();
    const commands = `set -euo pipefail\n${OWN_COMMANDS}\n${PREPARATION}`;
    const env = environment(folder, test.key ?? '');
    const { code, stderr } = await start('bash', ['--norc', '-c', commands], { cwd: folder, env }).finished;
    if (code !== 0) throw new Error(stderr);
    return folder;
  }

  const environment = (folder: string, key: string) => ({
    ...process.env,
    PATH,
    PAYLINKS_BASE_URL: service.baseUrl,
    PAYLINKS_API_KEY: key,
    PAYLINKS_CONFIG_DIR: join(folder, 'settings'),
    RECEIVER_URL: receiver.url,
    // No toolchain may be fetched from the network because of a version in go.mod.
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-mod=mod -buildvcs=false',
  });

  for (const { name, blocks } of GUIDES) {
    if (!blocks.some(({ kind }) => kind === 'run')) continue;
    it(`every snippet of the guide "${name}" runs`, async function () {
      const missing = missingTool(blocks);
      if (missing !== undefined) leaveOut(this, `no ${missing} on this machine`);
      const folder = newFolder(name);
      const port = `${await freePort()}`;
      for (const { kind, file, code } of blocks) {
        if (kind !== 'file') continue;
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), code.replaceAll(GUIDE_PORT, port));
      }
      const { practiceId, test } = await service.practice();
      // A practice with several locations, such as that of `make run`, needs a location for every link.
      await service.location(practiceId, 'Harbor');
      const receives = blocks.some(({ kind }) => kind === 'serve');
      const env = environment(folder, test.key ?? '');
      const isPrepared = blocks.some(({ code }) => code === PREPARATION);
      if (isPrepared) {
        prepared ??= prepare();
        cpSync(await prepared, folder, { recursive: true, verbatimSymlinks: true });
      }
      const left = blocks.filter(({ code }) => code !== PREPARATION);
      const deliverer = service.deliverer({ timeoutMs: 10_000 });
      const deliver = async (): Promise<void> => {
        const { body } = await test.get(ENDPOINTS);
        for (const { id } of body.data) void deliverer.deliver([id]);
        await deliverer.idle();
      };
      const script = start('bash', ['--norc', '-c', `${scriptOf(left, port)}\necho "${DONE}"\nwait`], {
        cwd: folder,
        env,
      });
      afterThisTest(async () => {
        killGroup(script, 'SIGKILL');
        await script.finished;
      });
      let status: number | null | undefined;
      void script.finished.then(({ code }) => {
        status = code;
      });
      await until(
        async () => {
          await deliver();
          return status !== undefined || script.output().includes(DONE);
        },
        script.output,
        // The first build of Go's libraries takes a minute, and more beside other programs.
        300_000,
      );
      expect(script.output(), script.output()).to.include(DONE);
      if (!receives) return;
      expect(script.output()).to.match(/^http\S+\/pay\/\S+\npaid$/m);
      await until(async () => {
        await deliver();
        return /^payment_link\.paid evt_\w+$/m.test(script.output());
      }, script.output);
    });
  }

  it('every TypeScript snippet passes the compiler', async () => {
    const folder = newFolder('snippets');
    const verify = readFileSync(join(checkout, 'examples/verify/typescript/verify.ts'), 'utf8');
    for (const { name, blocks } of GUIDES) {
      const files = blocks.filter(({ kind, language }) => kind === 'file' && language === 'ts');
      if (files.length === 0) continue;
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'verify.ts'), verify);
      for (const { file, code } of files) writeFileSync(join(folder, name, file), code);
    }
    const compilerOptions = { typeRoots: [join(checkout, 'node_modules/@types')], types: ['node'], rootDir: folder };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const config = { extends: join(checkout, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { code, stdout } = await start('tsc', ['-p', folder], { env: { ...process.env, PATH } }).finished;
    expect(code, stdout).to.equal(0);
  });

  it('every guide that calls a command of its folder says how the shell finds it', () => {
    const calling = GUIDES.filter(({ blocks }) => blocks.some(({ code }) => /^paylinks-dev /m.test(code)));
    expect(calling).to.have.length.above(6);
    for (const { name, text } of calling) {
      expect(text.includes(OWN_COMMANDS) || text.includes('(command.md#install-it)'), name).to.equal(true);
    }
    // Without the package in this folder, npx would ask the public registry for a package that is not ours.
    for (const { name, blocks } of GUIDES) for (const { code } of blocks) expect(code, name).not.to.include('npx');
  });

  it('the preparation adds Node 24 for an older Node only, and leaves no secret if the command fails', async () => {
    for (const [version, node] of [
      ['v20.20.2', ' node@24'],
      ['v23.11.1', ' node@24'],
      ['v24.0.0', ''],
      ['v30.1.0', ''],
    ]) {
      const folder = newFolder('older');
      for (const [command, script] of [
        ['node', `echo ${version}`],
        ['npm', 'echo "$@"'],
        ['paylinks-dev', 'exit 1'],
      ] as const) {
        writeFileSync(join(folder, command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      }
      const env = { PATH: `${folder}:/usr/bin:/bin`, PAYLINKS_BASE_URL: 'http://x' };
      const { stdout } = await start('bash', ['--norc', '-c', PREPARATION], { cwd: folder, env }).finished;
      expect(stdout.trim()).to.equal(`install --prefix . --no-save http://x/docs/paylinks-dev.tgz${node}`);
      expect(existsSync(join(folder, 'webhook-secret')), version).to.equal(false);
    }
  });

  it('no page registers an endpoint at the port of another one, or at the one to which listeners forward', () => {
    const pages = globSync(['README.md', 'examples/*/README.md'], { cwd: checkout }).toSorted();
    const ports = pages.flatMap((page) => {
      const text = readFileSync(join(checkout, page), 'utf8');
      return /"url": ?"http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1] ?? [];
    });
    expect(ports).to.have.length(2);
    expect(new Set([...ports, GUIDE_PORT])).to.have.property('size', 3);
  });

  it('every variable of a guide is set or explained before a snippet reads it', () => {
    const read =
      /(?:\$\{?|\benv\.|environ(?:\.get\(|\[)["']|[gG]etenv\(["']|\bENV(?:\.fetch\(|\[)["'])([A-Z][A-Z_]+)\b/g;
    let count = 0;
    for (const { name, text } of GUIDES) {
      for (const { 1: variable = '', index } of text.matchAll(read)) {
        if (['HOME', 'PATH', 'PWD', 'USER'].includes(variable)) continue;
        count += 1;
        const known = new RegExp(`\`${variable}\`|\\b${variable}=|\\bfor ${variable} in\\b`);
        expect(text.slice(0, index), `${name}: ${variable}`).to.match(known);
      }
    }
    expect(count).to.be.above(50);
  });

  it('every JSON snippet is JSON', () => {
    for (const { name, blocks } of GUIDES) {
      for (const { language, code } of blocks) {
        if (language === 'json') expect(() => JSON.parse(code), name).not.to.throw();
      }
    }
  });

  it('every file of a guide is used by a command of the same guide', () => {
    for (const { name, blocks } of GUIDES) {
      const commands = blocks.filter(({ kind }) => kind === 'run' || kind === 'serve').map(({ code }) => code);
      for (const { kind, file } of blocks) {
        const folderOfMain = file.endsWith('main.go') ? `./${dirname(file)}` : file;
        if (kind === 'file') expect(commands.join('\n'), `${name}: ${file}`).to.include(folderOfMain);
      }
    }
  });

  it('each language with a verifying module has a quickstart, and all prepare a laptop by the same commands', () => {
    const quickstarts = GUIDES.filter(({ name }) => name.startsWith('quickstart-'));
    const languages = ['typescript', ...Object.keys(TOOLS)];
    expect(quickstarts.map(({ name }) => name)).to.have.members(languages.map((language) => `quickstart-${language}`));
    for (const { name, blocks } of quickstarts) {
      expect(
        blocks.map(({ code }) => code).filter((code) => code === PREPARATION),
        name,
      ).to.have.length(1);
    }
  });
});

/** Line that a script prints after its last command. */
const DONE = 'all commands have run';
