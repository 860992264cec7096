import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresError } from './error.ts';

/** An account to start programs under, as `spawn` wants it. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Last part of all hints. */
export const ANOTHER_DATABASE = 'or set DATABASE_URL to a PostgreSQL server (15 or newer) of yours.';

/** Timeout of a program that only checks something. A machine under full load needs seconds. */
export const PROBE_TIMEOUT_MS = 20_000;

/** Returns true if this process runs as root. PostgreSQL refuses to run as root. */
export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Returns the account under which root runs the server: `postgres`, otherwise `nobody`.
 *
 * @throws PostgresError if there is neither
 */
export function chooseAccount(): Account {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const account = ['postgres', 'nobody'].map((known) => accounts.find(({ name }) => name === known)).find(Boolean);
  if (account !== undefined) return account;
  throw new PostgresError(
    'PostgreSQL refuses to run as root, and this machine has neither an account "postgres" nor "nobody".',
    `Run this as an ordinary user, ${ANOTHER_DATABASE}`,
  );
}

/** Returns the options of `spawn` that run a program under the account; no options for null. */
export function spawnAs(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Returns the environment of PostgreSQL. It has no variables of the caller, because PGDATA, PGOPTIONS or a missing locale
 * would change PostgreSQL's behavior. On macOS it does not start without LC_ALL.
 */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
}

/**
 * Returns true if the account can reach the folder and own files there. It tries that as the account, because access lists,
 * file systems without owners and containers also matter.
 */
export function canStoreData(folder: string, account: Account): boolean {
  let trial = '';
  try {
    trial = mkdtempSync(join(folder, 'trial-'));
    chownSync(trial, account.uid, account.gid);
    const options = { ...spawnAs(account), cwd: '/', timeout: PROBE_TIMEOUT_MS };
    const probe = spawnSync('/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', trial], options);
    return lstatSync(trial).uid === account.uid && probe.status === 0;
  } catch {
    return false;
  } finally {
    if (trial !== '') rmSync(trial, { recursive: true, force: true });
  }
}

/** Returns the error for a path that the account cannot use. */
export function unreachable(account: Account, path: string): PostgresError {
  return new PostgresError(
    `PostgreSQL refuses to run as root, and the account "${account.name}" can't use ${path}.`,
    `Run this as an ordinary user in a checkout of its own, ${ANOTHER_DATABASE}`,
  );
}
