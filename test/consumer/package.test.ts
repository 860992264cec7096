import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import manifest from '../../packages/paylinks-dev/package.json' with { type: 'json' };
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { checkout, killAfterThisTest, start, until } from '../harness/processes.ts';
import { isSignedWith } from '../harness/receiver.ts';

describe('the package paylinks-dev', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paylinks-dev-package-'));
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();
  let env: NodeJS.ProcessEnv;

  before(async () => {
    const path = `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}`;
    env = { PATH: path, HOME: folder, PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: practice.test.key ?? '' };
    const response = await fetch(`${service.baseUrl}/docs/paylinks-dev.tgz`);
    expect(response.headers.get('content-type')).to.equal('application/gzip');
    writeFileSync(join(folder, 'served.tgz'), Buffer.from(await response.arrayBuffer()));
    writeFileSync(join(folder, 'package.json'), '{}');
    const words = ['install', '--offline', '--no-audit', '--no-fund', './served.tgz'];
    execFileSync('npm', words, { cwd: folder, env, stdio: 'ignore' });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const command = (...words: string[]) =>
    killAfterThisTest(start(join(folder, 'node_modules/.bin/paylinks-dev'), words, { cwd: folder, env }));

  it('the package that the service serves has every module as JavaScript without types, and no dependencies', () => {
    const installed = join(folder, 'node_modules/paylinks-dev');
    const modules = globSync('**/*.ts', { cwd: join(checkout, 'packages/paylinks-dev/source') });
    expect(globSync('dist/**/*.js', { cwd: installed })).to.have.members(
      modules.map((path) => `dist/${path.replace(/ts$/, 'js')}`),
    );
    for (const path of globSync('dist/**/*.js', { cwd: installed })) {
      expect(readFileSync(join(installed, path), 'utf8'), path).not.to.match(/^import type|\.ts'/m);
    }
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).to.deep.equal(manifest);
    expect(manifest).not.to.have.any.keys('dependencies', 'scripts');
  });

  it('the command says in words that it needs a newer Node, and does so before it loads anything else', async () => {
    const main = join(folder, 'node_modules/paylinks-dev/dist/main.js');
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.5' } })`;
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
    const refused = await start('node', [...flags, main, '--help'], { cwd: folder, env }).finished;
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include('paylinks-dev needs Node 24 or newer, and this is Node 20.19.5.');
    // An older Node must be able to parse the file that says so. It refuses JSON modules, for instance.
    expect(readFileSync(main, 'utf8')).not.to.match(/^import .* from '\./m);
  });

  it('the installed command forwards events, ends by SIGTERM, and goes on where it ended after a kill', async () => {
    const listen = () => command('listen', '--forward-to', receiver.url);
    const first = listen();
    await until(() => first.output().includes('Signing secret'), first.output);
    expect(await command('trigger', 'ping').finished).to.include({ code: 0, stderr: '' });
    await until(() => /ping {2}evt_\w+ {2}200/.test(first.output()), first.output);
    first.child.kill('SIGKILL');
    await first.finished;
    expect((await command('trigger', 'payment_link.paid', '--json').finished).code).to.equal(0);
    const second = listen();
    await until(() => receiver.received.length === 2, second.output);
    await until(() => second.output().includes('payment_link.paid'), second.output);
    second.child.kill('SIGTERM');
    expect(await second.finished).to.include({ code: 0, stderr: '' });
    expect(receiver.types).to.deep.equal(['ping', 'payment_link.paid']);
    const { stdout } = await command('listen', '--print-secret').finished;
    expect(receiver.received.every((received) => isSignedWith(stdout.trim(), received))).to.equal(true);
    expect(receiver.faults).to.deep.equal([]);
  });
});
