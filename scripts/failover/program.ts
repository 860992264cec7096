import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type Account, spawnAs } from '../../src/embedded/account.ts';
import { atProcessEnd } from '../../src/embedded/process-end.ts';
import { childrenOf } from '../proc.ts';

export interface Program {
  readonly pid: number;
  readonly ended: Promise<void>;
}

/** Starts a program under the account, in a process group of its own, with its output appended to a file. */
export function startProgram(
  [file, ...args]: [string, ...string[]],
  options: { account: Account | null; folder: string; logFile: string; env?: Record<string, string> },
): Program {
  const log = openSync(options.logFile, 'a');
  const child = spawn(file, args, {
    ...spawnAs(options.account),
    cwd: options.folder,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: options.folder, LC_ALL: 'C.UTF-8', ...options.env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  // Without a process id, a signal to the child would go to the group of this process.
  if (child.pid === undefined) throw new Error(`${file} could not be started: see that its account can read it`);
  // No end of this process may leave programs behind. A stopped program reacts to this signal only.
  ended.then(atProcessEnd(() => child.kill('SIGKILL')));
  return { pid: child.pid, ended };
}

export function pidsOf(program: Program | undefined): number[] {
  return program === undefined ? [] : [program.pid];
}

/** Sends a signal to processes that may have ended. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Returns the process ids of the PostgreSQL server on a data folder: the postmaster first. Empty if none runs. */
export function serverProcesses(dataFolder: string): number[] {
  const postmaster = Number(read(`${dataFolder}/postmaster.pid`)?.split('\n')[0] ?? 0);
  // The file outlives a killed server, and its number may belong to another program by now.
  if (!read(`/proc/${postmaster}/cmdline`)?.includes(dataFolder)) return [];
  return [postmaster, ...childrenOf(postmaster)];
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
