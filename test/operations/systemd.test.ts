import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { createDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout, killGroup, type Running, start, until, untilReady } from '../harness/processes.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { SECRETS_KEY } from '../harness/service.ts';

/** The metrics of an API have its port with a 1 in front. So its port, the instance of the unit, has four digits. */
const METRICS_OFFSET = 10_000;

/** Returns the reason why no system can be booted here; null if one can. */
function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'not root';
  if (spawnSync('systemd-nspawn', ['--version']).error !== undefined) return 'no systemd-nspawn on this machine';
  if (!existsSync('/usr/lib/systemd/systemd')) return 'no systemd on this machine';
  return null;
}

describe('units under a real systemd, on a system without a list of users', () => {
  let folder = '';
  let system: Running | undefined;
  let instances: { api: number; worker: number };

  /** Runs a command in the system; null while it has not started. */
  function inside(...command: string[]): string | null {
    const children = `/proc/${system?.child.pid}/task/${system?.child.pid}/children`;
    const leader = existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ')[0] : '';
    if (!leader) return null;
    const { status, stdout } = spawnSync('nsenter', ['--target', leader, '--all', ...command], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  }

  const unitsOf = ({ api, worker }: typeof instances) => [`paylinks-api@${api}`, `paylinks-worker@${worker}`];

  before(async function () {
    const reason = whyNot();
    if (reason !== null) return leaveOut(this, reason);
    instances = { api: randomInt(5_000, METRICS_OFFSET), worker: await freePort() };
    folder = newScratchFolder('systemd');
    const wants = join(folder, 'units/multi-user.target.wants');
    mkdirSync(wants, { recursive: true });
    for (const unit of globSync('operations/systemd/*.service', { cwd: checkout })) {
      cpSync(join(checkout, unit), join(folder, 'units', basename(unit)));
    }
    for (const unit of unitsOf(instances)) {
      symlinkSync(`../${unit.replace(/@.*/, '@.service')}`, join(wants, `${unit}.service`));
    }
    const settings = { DATABASE_URL: await createDatabase(), SECRETS_KEY, PROCESSOR: 'sandbox', DRAIN_SECONDS: '0' };
    const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
    writeFileSync(join(folder, 'environment'), lines.join(''), { mode: 0o600 });
    // The programs of this machine, and empty folders in place of /etc and /var: no list of users, and no account of the service.
    system = start(
      'systemd-nspawn',
      [
        ...['--boot', '--directory=/', '--volatile=yes', '--register=no', '--keep-unit', '--link-journal=no'],
        ...[`--machine=${basename(folder).toLowerCase().replaceAll('_', '-')}`, '--console=read-only'],
        `--bind-ro=${checkout.replace(/\/$/, '')}:/opt/paylinks`,
        `--bind-ro=${folder}/units:/etc/systemd/system`,
        `--bind-ro=${folder}/environment:/etc/paylinks/environment`,
        // No questions at the console.
        'systemd.firstboot=no',
      ],
      {},
    );
    const { output } = system;
    await until(() => inside('systemctl', 'is-active', 'multi-user.target') === 'active', output).catch(() => {
      console.log(output().slice(-300));
      leaveOut(this, 'no system boots in a container here');
    });
  });

  after(async () => {
    if (system !== undefined) {
      killGroup(system, 'SIGKILL');
      await system.finished;
    }
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  it('the API and the worker become ready as an account without a name, are never started again by a crash, and stop in order', async () => {
    const { api, worker } = instances;
    for (const port of [api, METRICS_OFFSET + api, worker]) {
      const log = () => `${inside('journalctl', '--no-pager', '--lines=40', '--unit=paylinks-*')}`;
      await untilReady(`http://127.0.0.1:${port}`, log);
    }
    for (const unit of unitsOf(instances)) {
      expect(inside('systemctl', 'show', '--property=NRestarts', '--value', unit), unit).to.equal('0');
      expect(inside('systemctl', 'stop', unit), unit).to.equal('');
      expect(inside('systemctl', 'show', '--property=Result', '--value', unit), unit).to.equal('success');
    }
  });
});
