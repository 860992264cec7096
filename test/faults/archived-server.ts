import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { postgresMajor } from '../../scripts/postgres-major.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { query } from '../harness/database.ts';
import { checkout, until } from '../harness/processes.ts';

/** Contents of a data folder that a base backup leaves out, as PostgreSQL's manual says. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts'];
const EMPTIED = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];

/**
 * A server whose WAL is archived, and its base backup. The embedded server has no `pg_basebackup`, so the backup is made by
 * the functions of SQL on which that program is built.
 */
export class ArchivedServer {
  readonly #postgres: EmbeddedPostgres;
  readonly #archive: string;
  readonly #backup: string;
  readonly #data: string;

  private constructor(postgres: EmbeddedPostgres, archive: string, backup: string, data: string) {
    this.#postgres = postgres;
    this.#archive = archive;
    this.#backup = backup;
    this.#data = data;
  }

  /** Switches archiving on, and restarts the server. The folders are empty. */
  static async prepare(postgres: EmbeddedPostgres, archive: string, backup: string): Promise<ArchivedServer> {
    const [row] = await query<{ folder: string }>(postgres.url, `select current_setting('data_directory') as folder`);
    const data = row?.folder ?? '';
    giveToOwnerOf(data, archive);
    chmodSync(backup, 0o711);
    await query(postgres.url, 'alter system set archive_mode = on');
    // A copy, because the server's account may not be able to read the checkout.
    const program = join(archive, 'archive-wal');
    cpSync(join(checkout, 'operations/postgresql/archive-wal'), program);
    chmodSync(program, 0o755);
    await query(postgres.url, `alter system set archive_command = '${program} %p ${archive}/%f'`);
    await postgres.restart('fast');
    return new ArchivedServer(postgres, archive, backup, data);
  }

  /** Copies the data folder while the server works. */
  async takeBaseBackup(): Promise<void> {
    // The session must last from start to stop.
    const session = new pg.Client({ connectionString: this.#postgres.url });
    await session.connect();
    try {
      await session.query(`select pg_backup_start('test', fast => true)`);
      // Files come and go during the copy. The WAL of the backup says what is to become of them.
      const { stderr } = spawnSync('cp', ['-a', this.#data, `${this.#backup}/data`], { encoding: 'utf8' });
      const failures = stderr.split('\n').filter((line) => line !== '' && !line.includes('No such file or directory'));
      if (failures.length > 0) throw new Error(failures.join('\n'));
      const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
      this.#write('data/backup_label', rows[0]?.labelfile ?? '');
    } finally {
      await session.end();
    }
    for (const name of LEFT_OUT) rmSync(join(this.#backup, 'data', name), { force: true });
    for (const folder of EMPTIED) {
      const path = join(this.#backup, 'data', folder);
      for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
    }
    execFileSync('cp', ['-a', join(dirname(this.#data), 'password'), this.#backup]);
  }

  /** Returns the server's time. What was confirmed before the call was committed before it. */
  async now(): Promise<string> {
    const [row] = await query<{ now: string }>(this.#postgres.url, 'select clock_timestamp()::text as now');
    return row?.now ?? '';
  }

  /** Resolves when all WAL up to now is archived. */
  async archiveAll(): Promise<void> {
    const [row] = await query<{ file: string }>(this.#postgres.url, 'select pg_walfile_name(pg_switch_wal()) as file');
    const isArchived = () => readdirSync(this.#archive).includes(row?.file ?? '');
    await until(isArchived, () => `${row?.file} is not archived`);
  }

  /** Starts a server on the backup, as the database was at the moment. It takes writes when this resolves. */
  async restore(directory: string, moment: string): Promise<EmbeddedPostgres> {
    execFileSync('cp', ['-a', `${this.#backup}/.`, directory]);
    const data = join(directory, 'data');
    const settings = {
      restore_command: `cp ${this.#archive}/%f %p`,
      recovery_target_time: moment,
      recovery_target_action: 'promote',
      archive_mode: 'off',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
    writeFileSync(join(data, 'recovery.signal'), '');
    giveToOwnerOf(data, join(data, 'recovery.signal'));
    mkdirSync(join(data, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
    giveToOwnerOf(data, join(data, 'pg_wal', 'archive_status'));
    return startEmbeddedPostgres({ directory, durable: false, major: postgresMajor });
  }

  #write(path: string, text: string): void {
    const file = join(this.#backup, path);
    writeFileSync(file, text, { mode: 0o600 });
    giveToOwnerOf(this.#data, file);
  }
}

/** Gives a path to the account of the server, which may be another one than that of this process. */
function giveToOwnerOf(data: string, path: string): void {
  const { uid, gid } = statSync(data);
  chownSync(path, uid, gid);
}
