import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../../src/main/cli/program.ts';
import { useFolder } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';
import { runShell, shellBlocks, writeProgram } from './shell-blocks.ts';

const OPERATIONS = ['install', 'run', 'recover'].map((name) => `docs/operations/${name}.md`);
const GUIDES = [...OPERATIONS, 'docs/postgresql.md', 'docs/failover.md', 'docs/reliability.md', 'docs/security.md'];
const read = (file: string) => readFileSync(join(checkout, file), 'utf8');
const guide = OPERATIONS.map(read).join('\n');

/** Returns the first fault of a command line: a command or an option that its help does not have; null if it has none. */
async function faultOf(words: readonly string[]): Promise<string | null> {
  let help = '';
  const into = {
    write: (text: string) => {
      help += text;
    },
  };
  const first = words.findIndex((word) => word.startsWith('--'));
  await runCli([...words.slice(0, first < 0 ? undefined : first), '--help'], { env: {}, stdout: into, stderr: into });
  const [, command = '', isGroup] = /^Usage: paylinks ([a-z ]*?) \[options\]( \[command\])?/.exec(help) ?? [];
  if (isGroup !== undefined || command === '') return `no command ${words.join(' ')}`;
  const options = words.filter((word) => word.startsWith('--'));
  return options.find((option) => !help.includes(`  ${option} `)) ?? null;
}

/** Returns the command lines of `paylinks` in a text, in code of a line and in blocks, as words. */
function commandLines(text: string): string[][] {
  const joined = text
    .replaceAll(/\\\n\s*/g, ' ')
    // In the table, brackets stand around what is optional, and bars between values.
    .replaceAll(/\\\|\w+|[[\]]/g, '');
  const found = joined.matchAll(/(?:^ *|`|\/)paylinks ((?:[a-z]|--)[^`\n|>&;]*)/gm);
  return [...found].map(([, words = '']) => words.trim().split(/\s+/));
}

describe('the guide for operators', () => {
  const folder = useFolder('guide');

  it('every command line of paylinks in the guide has a command and options that exist', async () => {
    const lines = commandLines(guide);
    expect(lines.length).to.be.above(20);
    // The program itself has this option, and test/cli/cli.test.ts runs it.
    const ofCommands = lines.filter((words) => words.join(' ') !== '--version');
    for (const words of ofCommands) expect(await faultOf(words), words.join(' ')).to.equal(null);
    expect(await faultOf(['secrets', 'turn'])).to.equal('no command secrets turn');
    expect(await faultOf(['check', '--fix'])).to.equal('--fix');
    expect(await faultOf(['cells', 'map'])).to.equal('no command cells map');
    expect(await faultOf(['worker', '--cell', 'b'])).to.equal('--cell');
  });

  it('every shell block of the guides is one that a shell can read', () => {
    for (const file of GUIDES) {
      for (const [, indent = '', text = ''] of read(file).matchAll(/^( *)```sh[^\n]*\n([\s\S]*?)^ *```$/gm)) {
        const input = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
        const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
        expect([status, stderr], text).to.deep.equal([0, '']);
      }
    }
  });

  /** Runs a block with its absolute paths inside of the folder. */
  function run(text: string): string {
    const inside = text.replaceAll(/(?<![\w.-])\/(opt|etc|usr\/local|var|usr\/lib\/postgresql)\//g, `${folder}/$1/`);
    return runShell(inside, {
      cwd: join(folder, 'downloads'),
      env: {
        PATH: `${folder}/programs:${folder}/usr/local/sbin:${process.env.PATH}`,
        PAYLINKS_SETTINGS: `${folder}/etc/paylinks/environment`,
      },
    });
  }

  /** Packs an archive as `make release` does: with the files for operators, and a command that says what it was asked. */
  function pack(version: string): void {
    const staging = join(folder, 'staging', `paylinks-${version}`);
    cpSync(join(checkout, 'operations'), join(staging, 'operations'), { recursive: true });
    mkdirSync(join(staging, 'scripts'));
    writeProgram(join(staging, 'scripts/paylinks'), `echo "${version}: $* for $MAIL_FROM"`);
    const archive = `paylinks-${version}-0123456789ab-linux-x64.tar.gz`;
    const downloads = join(folder, 'downloads');
    mkdirSync(downloads, { recursive: true });
    spawnSync('tar', ['-czf', join(downloads, archive), `paylinks-${version}`], { cwd: join(staging, '..') });
    const { stdout } = spawnSync('sha256sum', [archive], { cwd: downloads, encoding: 'utf8' });
    writeFileSync(join(downloads, 'SHA256SUMS'), stdout);
  }

  it('the commands of the installation and of an upgrade work on an empty machine, and in their order', () => {
    const log = join(folder, 'log');
    for (const path of ['programs', 'opt', 'etc/systemd/system', 'usr/local/sbin', 'usr/local/bin', 'var']) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    for (const name of ['systemctl', 'sudo', 'editor', 'curl']) {
      writeProgram(join(folder, 'programs', name), `echo "${name} $*" >> ${log}`);
    }
    pack('2.0.0');
    const steps = shellBlocks('install');
    expect(steps).to.have.length(5);
    const outputs = steps.map(run);
    expect(outputs[2], 'what was not changed').to.include("PUBLIC_URL='https://CHANGE_ME'\n");
    expect(outputs[3]).to.equal('2.0.0: migrate for Paylinks <no-reply@CHANGE_ME>\n');
    expect(outputs[4]).to.match(/^2\.0\.0: practices create .*\n2\.0\.0: locations create .*\n/);
    pack('3.0.0');
    const [upgrade = ''] = shellBlocks('upgrade');
    // The new version migrates before the link leads to it: a process that dies before starts again as the old one.
    expect(upgrade.indexOf('migrate')).to.be.below(upgrade.indexOf('ln -sfn'));
    expect(run(upgrade.replaceAll('sleep 2', ':'))).to.match(/^3\.0\.0: migrate for /);
    expect(run('paylinks check')).to.match(/^3\.0\.0: check for /);
    const systemctl = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('systemctl'));
    const instances = ['paylinks-worker@9470', 'paylinks-worker@9471', 'paylinks-api@3000', 'paylinks-api@3001'];
    expect(systemctl.slice(-4)).to.deep.equal(instances.map((name) => `systemctl restart ${name}`));
    expect(existsSync(join(folder, 'etc/systemd/system/paylinks-api@.service'))).to.equal(true);
  });

  it('the command with the settings of the units says what to do without them', () => {
    const { status, stderr } = spawnSync(join(checkout, 'operations/systemd/paylinks'), ['check'], {
      env: { PATH: process.env.PATH, PAYLINKS_SETTINGS: join(folder, 'none') },
      encoding: 'utf8',
    });
    expect([status, stderr.includes('as root')], stderr).to.deep.equal([1, true]);
  });
});
