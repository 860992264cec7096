import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AccountUnusable } from './errors.ts';

/** An account to start programs under, as `spawn` wants it. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** How hints end. */
export const ANOTHER_DATABASE = 'or set DATABASE_URL to a PostgreSQL server (15 or newer) of yours.';

/** How long a program that only looks at something may take; a machine under full load needs seconds. */
export const PROBE_TIMEOUT_MS = 20_000;

/** True if this process runs as root, which PostgreSQL refuses to run as. */
export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The account that root runs the server under: the owner of the first of these paths that exists and belongs to an
 * ordinary account of this machine; otherwise `postgres`, otherwise `nobody`. Throws AccountUnusable if there is none.
 */
export function chooseAccount(paths: string[]): Account {
  const accounts = readAccounts().filter((account) => account.uid !== 0);
  const owners = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.uid);
  const account =
    owners.map((uid) => accounts.find((candidate) => candidate.uid === uid)).find((owner) => owner !== undefined) ??
    accounts.find((candidate) => candidate.name === 'postgres') ??
    accounts.find((candidate) => candidate.name === 'nobody');
  if (account !== undefined) return account;
  throw new AccountUnusable(
    'PostgreSQL refuses to run as root, and this machine has neither an account "postgres" nor "nobody".',
    `Run this as an ordinary user, ${ANOTHER_DATABASE}`,
  );
}

/** What `spawn` needs to run a program under the account; nothing for our own. */
export function spawnAs(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Nothing of the caller's environment reaches PostgreSQL: PGDATA, PGOPTIONS or a locale that is not installed would
 * change what it does. On macOS it does not start without LC_ALL.
 */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
}

/**
 * Whether the account can walk to the folder and own files there. Tried out as that account: the kernel also knows access
 * lists, file systems without owners, and containers without other accounts than root.
 */
export function canHoldData(folder: string, account: Account): boolean {
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

/** The error for a path that the account should be able to use and can't. */
export function unreachable(account: Account, path: string): AccountUnusable {
  return new AccountUnusable(
    `PostgreSQL refuses to run as root, and the account "${account.name}" can't use ${path}.`,
    `Run this as an ordinary user in a checkout of its own, ${ANOTHER_DATABASE}`,
  );
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map((fields) => ({ name: fields[0] ?? '', uid: Number(fields[2]), gid: Number(fields[3]) }))
    .filter((account) => account.name !== '' && Number.isInteger(account.uid) && Number.isInteger(account.gid));
}
