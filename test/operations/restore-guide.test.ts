import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout, until } from '../harness/processes.ts';
import { runShell, shellBlocks, writeProgram } from './shell-blocks.ts';

/** Debian's programs that the guide uses; without them or without root the commands cannot run. */
const isDebian = existsSync('/usr/bin/pg_createcluster') && existsSync('/usr/lib/postgresql/15/bin/pg_ctl');

const canRun = isDebian && process.getuid?.() === 0;
const title = 'the commands of the guide archive, back up, restore to a moment, archive again, and delete what is old';

describe('backup and restore as the guide for operators says', function () {
  this.timeout(300_000);
  let folder: string;
  let ports: { main: number; restored: number };
  let env: NodeJS.ProcessEnv;

  before(async function () {
    if (!canRun) return leaveOut(this, 'not root, or no PostgreSQL 15 of Debian');
    folder = mkdtempSync(join(tmpdir(), 'paylinks-restore-'));
    // The account of PostgreSQL passes through.
    chmodSync(folder, 0o711);
    ports = { main: await freePort(), restored: await freePort() };
    const folders = ['etc/postgresql', 'usr/local/bin', 'var/backups', 'var/lib/postgresql/15', 'log', 'programs'];
    for (const path of folders) mkdirSync(join(folder, path), { recursive: true });
    cpSync(join(checkout, 'operations'), join(folder, 'opt/paylinks/operations'), { recursive: true });
    const standIn = (name: string, text: string) => writeProgram(join(folder, 'programs', name), text);
    standIn('sudo', 'shift 2; exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"');
    standIn('systemctl', 'exec /usr/bin/pg_ctlcluster 15 main restart');
    standIn(
      'pg_createcluster',
      `exec /usr/bin/pg_createcluster "$@" -d ${folder}/var/lib/postgresql/$1/$2 -l ${folder}/log/$2 --start-conf manual`,
    );
    env = {
      PATH: `${folder}/programs:/usr/bin:/bin:/usr/sbin:/sbin`,
      PG_CLUSTER_CONF_ROOT: join(folder, 'etc/postgresql'),
      PGPORT: `${ports.main}`,
      LC_ALL: 'C.UTF-8',
    };
    run(`pg_createcluster 15 main --port ${ports.main} && pg_ctlcluster 15 main start`);
  });

  after(() => {
    if (folder === undefined) return;
    for (const name of ['main', 'restored']) {
      spawnSync('pg_ctlcluster', ['15', name, 'stop', '-m', 'immediate'], { env });
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs commands with their absolute paths inside of the folder. */
  function run(text: string): string {
    const inside = text
      .replaceAll(/(?<![\w.-])\/(opt|etc\/postgresql|usr\/local|var\/(?:lib|backups))\//g, `${folder}/$1/`)
      .replaceAll('5433', `${ports.restored}`);
    return runShell(inside, { cwd: folder, env });
  }

  const sql = (port: number, statement: string) =>
    run(`sudo -u postgres psql --port=${port} -AtXc "${statement}"`).trim();
  const untilTrue = (port: number, condition: string) =>
    until(
      () => sql(port, `select ${condition}`) === 't',
      () => `${condition} does not come true`,
    );

  it(title, async () => {
    const [backUp = '', deleteOld = ''] = shellBlocks('backup');
    const [copy = '', recover = ''] = shellBlocks('restore');
    const [newWalArchive = ''] = shellBlocks('restored');
    const [repeated = ''] = shellBlocks('restored-nightly');
    const [deleteDamaged = ''] = shellBlocks('restored-delete');
    sql(ports.main, 'create table confirmed (number integer)');
    run(backUp);
    sql(ports.main, 'insert into confirmed values (1)');
    const moment = sql(ports.main, 'select clock_timestamp()');
    sql(ports.main, 'insert into confirmed values (2)');
    const segment = sql(ports.main, 'select pg_walfile_name(pg_switch_wal())');
    await untilTrue(ports.main, `last_archived_wal >= '${segment}' from pg_stat_archiver`);
    // The nightly command has failed for weeks: the last backup stays.
    run(`touch -d '-20 days' /var/backups/paylinks/base-*`);
    run(deleteOld);
    run('pg_ctlcluster 15 main stop -m immediate');

    const today = /base-[\d-]+/.exec(run('ls -d /var/backups/paylinks/base-*'))?.[0] ?? '';
    // The first base backup is damaged, so the operator takes another one, by the last three commands.
    run(`cp -a /var/backups/paylinks/${today} /var/backups/paylinks/base-2099-01-01`);
    run('truncate --size=1 /var/backups/paylinks/base-2099-01-01/global/pg_filenode.map');
    expect(() => run(copy.replace(/base-[\d-]+/, 'base-2099-01-01'))).to.throw('has size 1 on disk');
    const lastCommands = copy.trim().split('\n').slice(-3);
    run(lastCommands.join('\n').replace(/base-[\d-]+/, today));
    run(recover.replace(/(?<=recovery_target_time = ')[^']+/, moment));
    await untilTrue(ports.restored, 'not pg_is_in_recovery()');
    expect(sql(ports.restored, 'select array_agg(number) from confirmed')).to.equal('{1}');
    run(newWalArchive);
    expect(sql(ports.restored, `select current_setting('recovery_target_time')`)).to.equal('');
    sql(ports.restored, 'insert into confirmed values (3)');
    sql(ports.restored, 'select pg_switch_wal()');
    await untilTrue(ports.restored, 'archived_count > 0 and failed_count = 0 from pg_stat_archiver');
    const newest = sql(ports.restored, 'select pg_walfile_name(pg_switch_wal())');
    await untilTrue(ports.restored, `last_archived_wal >= '${newest}' from pg_stat_archiver`);
    const archived = 'ls /var/backups/paylinks/restored/wal';
    expect(run(archived)).to.include(newest);
    // The first backup of the restored server is old enough to be deleted, with its WAL.
    run(`touch -d '-20 days' /var/backups/paylinks/restored/base-*`);
    run(repeated.replace('$(date +%F)', '2099-01-01'));
    expect(run('ls -d /var/backups/paylinks/restored/base-*')).to.match(/^\S+base-2099-01-01\n$/);
    expect(run(archived)).to.not.include(newest);
    run(`touch -d '-20 days' /var/backups/paylinks/restored/base-*`);
    run(repeated.slice(repeated.indexOf('# Each week')));
    expect(run('ls -d /var/backups/paylinks/restored/base-*')).to.match(/^\S+base-2099-01-01\n$/);
    expect(run('ls /var/backups/paylinks')).to.include(today);
    expect(readFileSync(join(folder, 'log/restored'), 'utf8')).to.include('recovery stopping before commit');
    run(deleteDamaged);
    expect(run('ls /var/backups/paylinks /etc/postgresql/15 /var/lib/postgresql/15')).to.equal(
      `${folder}/etc/postgresql/15:\nrestored\n\n` +
        `${folder}/var/backups/paylinks:\nrestored\n\n${folder}/var/lib/postgresql/15:\nrestored\n`,
    );
    expect(sql(ports.restored, 'select array_agg(number order by number) from confirmed')).to.equal('{1,3}');
  });
});
