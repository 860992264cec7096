import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  databaseProxyConfiguration,
  networkConfiguration,
  patroniConfiguration,
} from '../../proofs/failover/configuration.ts';
import { useFolder } from '../harness/fixtures.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout } from '../harness/processes.ts';
import { findProgram, findPrograms, judgePatroni } from '../harness/programs.ts';
import { runShell, shellBlocks, writeProgram } from './shell-blocks.ts';

/** Values of an operator, by the placeholders of a restore. */
const RESTORE = {
  __BASE_BACKUP__: '/backups/base',
  __DATA_FOLDER__: '/data',
  __WAL_FOLDER__: '/backups/wal',
  __MOMENT__: '2026-11-22 14:05:00+00',
};

interface PatroniConfiguration {
  name: string;
  postgresql: { connect_address: string; data_dir: string };
  bootstrap: {
    method?: string;
    restored?: object;
    dcs: {
      ttl: number;
      loop_wait: number;
      retry_timeout: number;
      synchronous_mode: boolean;
      synchronous_mode_strict: boolean;
      postgresql: { parameters: { synchronous_commit: string } };
    };
  };
}

describe('the rig of make failover', () => {
  const folder = useFolder('failover');

  it('Patroni confirms no commit without a standby, and its lock outlives slow answers of etcd', () => {
    const { name, postgresql, bootstrap } = parse(patroniConfiguration(2, '/data', '/bin')) as PatroniConfiguration;
    expect([name, postgresql.data_dir]).to.deep.equal(['node-2', '/data']);
    const { dcs } = bootstrap;
    expect([dcs.synchronous_mode, dcs.synchronous_mode_strict]).to.deep.equal([true, true]);
    expect(dcs.postgresql.parameters.synchronous_commit).to.equal('on');
    expect(dcs.ttl).to.be.at.least(dcs.loop_wait + 2 * dcs.retry_timeout);
  });

  it('the command of the guide makes a restore with the same settings, from the backup, the archive and the moment', () => {
    const [command = ''] = shellBlocks('cluster-restore').flatMap((block) => /^sed .*$/m.exec(block) ?? []);
    const file = join(folder, 'config.yml');
    const usual = patroniConfiguration(1, '/data', '/bin');
    writeFileSync(file, usual);
    runShell(
      command
        .replace('/etc/patroni/config.yml', file)
        .replace('/opt/paylinks/operations', join(checkout, 'operations')),
    );
    const filled = Object.entries(RESTORE).reduce(
      (text, [name, value]) => text.replaceAll(name, value),
      readFileSync(file, 'utf8'),
    );
    const { bootstrap, ...others } = parse(filled) as PatroniConfiguration;
    const { method, restored, ...settings } = bootstrap;
    expect([method, restored]).to.deep.equal([
      'restored',
      {
        command: 'cp -a /backups/base /data',
        no_params: true,
        recovery_conf: {
          restore_command: 'cp /backups/wal/%f %p',
          recovery_target_time: '2026-11-22 14:05:00+00',
          recovery_target_action: 'promote',
        },
      },
    ]);
    expect({ ...others, bootstrap: settings }).to.deep.equal(parse(usual));
  });

  it('the commands of the guide fill the templates of Patroni and HAProxy, and leave out the passwords only', () => {
    const run = (kind: string) => {
      const [text = ''] = shellBlocks(kind);
      const here = text
        .replace('-g postgres ', '')
        .replace(/^editor .*$/m, `sed -i 's/__[A-Z]*_PASSWORD__/chosen/' /etc/patroni/config.yml`)
        .replaceAll('/opt/paylinks/', checkout)
        .replaceAll(/\/etc\/(patroni|haproxy)\//g, `${folder}/`);
      // HAProxy may be missing here, and another test has it read its configuration.
      return runShell(here.replace(/^haproxy -c .*$/m, ''));
    };
    expect(run('failover-patroni')).to.equal('complete\n');
    const filled = parse(readFileSync(join(folder, 'config.yml'), 'utf8')) as PatroniConfiguration;
    expect([filled.name, filled.postgresql.data_dir]).to.deep.equal(['node-1', '/var/lib/postgresql/15/patroni']);
    expect(filled.bootstrap).to.deep.equal(
      (parse(patroniConfiguration(1, '/data', '/bin')) as PatroniConfiguration).bootstrap,
    );
    run('failover-haproxy');
    const proxy = readFileSync(join(folder, 'haproxy.cfg'), 'utf8').replaceAll(/^ *#.*$/gm, '');
    expect(proxy).to.include('bind 10.0.0.5:5000').and.include('server node-3 10.0.0.13:5432').and.not.include('__');
  });

  it('HAProxy accepts the configurations that operators copy, that of both proxies on one machine, and that of the networks, without a warning', function () {
    const haproxy = findProgram('haproxy');
    if (haproxy === undefined || spawnSync('id', ['haproxy']).status !== 0)
      return leaveOut(this, 'no haproxy on this machine');
    const expectAccepted = (...files: string[]) => {
      const { status, stderr } = spawnSync(haproxy, ['-c', ...files.flatMap((file) => ['-f', file])], {
        encoding: 'utf8',
      });
      expect([status, stderr]).to.deep.equal([0, '']);
    };
    const [api, database] = [join(folder, 'api.cfg'), join(folder, 'database.cfg')];
    // The certificate and the addresses are those of the installation.
    const shipped = (name: string) => readFileSync(join(checkout, 'operations/haproxy', name), 'utf8');
    const filled = shipped('haproxy.cfg').replaceAll(/__\w+__/g, '127.0.0.1');
    for (const text of [filled, databaseProxyConfiguration(), networkConfiguration(1)]) {
      writeFileSync(database, text);
      expectAccepted(database);
    }
    // A proxy of the API gets the database's as a second file.
    const [block = ''] = shellBlocks('failover-haproxy-second');
    const here = block
      .replaceAll('/opt/paylinks/', checkout)
      .replaceAll(/\/etc\/(haproxy|default)\//g, `${folder}/`)
      // The proxy would start.
      .replace(/^haproxy -c .*$/m, '');
    runShell(here);
    expect(readFileSync(database, 'utf8'))
      .to.include('bind 10.0.0.5:5000')
      .and.not.match(/^[^#]*__|^global/m);
    writeFileSync(api, shipped('api.cfg').replace(/ ssl crt .*/, ''));
    expectAccepted(api);
    expectAccepted(api, database);
  });

  it('the command names the missing packages of Debian, and ends with 0', () => {
    writeFileSync(join(folder, 'haproxy'), '', { mode: 0o755 });
    expect(findPrograms([folder], [])).to.deep.equal({ missingPackages: ['patroni', 'etcd-server', 'postgresql'] });
    const { status, stdout } = spawnSync(process.execPath, [join(checkout, 'proofs/failover.ts')], {
      env: { PATH: folder },
      encoding: 'utf8',
    });
    expect(stdout).to.match(/^skipped: .*apt-get install patroni etcd-server/);
    expect(status).to.equal(0);
  });

  it('the command names the version of Patroni, and refuses the one that can lose commits', () => {
    const patroni = join(folder, 'patroni-of-a-version');
    const judged = (output: string) => {
      writeProgram(patroni, `echo '${output}'`);
      return judgePatroni(patroni);
    };
    expect(judged('patroni 3.0.2').refusal).to.include('3.0.2').and.include('Put 3.0.4 or later first on PATH');
    expect(judged('patroni 3.0.3').refusal).to.include('3.0.3');
    expect(judged('nothing').refusal).to.include('of an unknown version');
    for (const version of ['3.0.4', '3.3.11', '4.1.0', '10.0.0']) {
      expect(judged(`patroni ${version}`)).to.deep.equal({ version, refusal: null });
    }
    // Debian 12 has the refused one.
    const found = findPrograms();
    if (!('programs' in found) || judgePatroni(found.programs.patroni).refusal === null) return;
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'proofs/failover.ts')], {
      env: { ...process.env, ONLY: '' },
      encoding: 'utf8',
    });
    expect([status, stderr]).to.deep.equal([1, `${judgePatroni(found.programs.patroni).refusal}\n`]);
  });
});
