import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Absolute paths of the programs that the rig starts. */
export interface Programs {
  patroni: string;
  etcd: string;
  haproxy: string;
  postgresFolder: string;
}

/** Programs by the Debian package that has them. */
const PACKAGES = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' } as const;

/** Programs of PostgreSQL that Patroni calls. The embedded server of tests lacks the last two. */
const POSTGRES_PROGRAMS = ['initdb', 'postgres', 'pg_ctl', 'pg_basebackup', 'pg_rewind'];

/** Folders of programs. Debian keeps HAProxy where ordinary accounts do not look, and PostgreSQL in a folder per version. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const DEBIAN_POSTGRES = '/usr/lib/postgresql/*/bin';

/** Finds the programs, or the Debian packages to install. The newest PostgreSQL is taken. */
export function findPrograms(
  folders: string[] = FOLDERS,
  postgresFolders: string[] = globSync(DEBIAN_POSTGRES),
): { programs: Programs } | { missingPackages: string[] } {
  const find = (name: string) => findProgram(name, folders);
  const [patroni, etcd, haproxy] = [find('patroni'), find('etcd'), find('haproxy')];
  const postgresFolder = [...postgresFolders.toSorted(byNumber).toReversed(), ...folders].find((folder) =>
    POSTGRES_PROGRAMS.every((name) => isProgram(join(folder, name))),
  );
  if (patroni && etcd && haproxy && postgresFolder) return { programs: { patroni, etcd, haproxy, postgresFolder } };
  const missing = Object.entries(PACKAGES).filter(([program]) => find(program) === undefined);
  const packages = missing.map(([, name]) => name);
  return { missingPackages: postgresFolder === undefined ? [...packages, 'postgresql'] : packages };
}

/** First Patroni without the fault of which docs/failover.md warns. */
const LEAST_PATRONI = '3.0.4';

/** Returns the version of this Patroni, and the reason not to use it: null from the first good version on. */
export function judgePatroni(patroni: string): { version: string; refusal: string | null } {
  const { stdout } = spawnSync(patroni, ['--version'], { encoding: 'utf8' });
  const version = /\d+(\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'of an unknown version';
  const isGood = /^\d/.test(version) && byNumber(version, LEAST_PATRONI) >= 0;
  const refusal = `Patroni ${version} (${patroni}) can lose confirmed commits (docs/failover.md). Put ${LEAST_PATRONI} or later first on PATH:
  python3 -m venv /opt/patroni && /opt/patroni/bin/pip install 'patroni[etcd3]' psycopg2-binary
  PATH="/opt/patroni/bin:$PATH" make failover`;
  return { version, refusal: isGood ? null : refusal };
}

/** Returns a configuration of HAProxy that any account can run. Only root can change to another account. */
export function withoutAccount(text: string): string {
  return text.replaceAll(/^ {2}(user|group|chroot) .*\n/gm, '');
}

/** Returns the path of a program; undefined when it is missing. */
export function findProgram(name: string, folders = FOLDERS): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
