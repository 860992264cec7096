import { type Account, spawnAs } from '../../src/embedded/account.ts';
import { childrenOf, textOf } from '../proc.ts';
import { startGroup } from '../trial/process.ts';

export type Program = ReturnType<typeof startProgram>;

/** Starts a program under the account. */
export function startProgram(
  [file, ...args]: [string, ...string[]],
  options: { account: Account | null; folder: string; logFile: string; env?: Record<string, string> },
) {
  const { account, folder, logFile } = options;
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: folder, LC_ALL: 'C.UTF-8', ...options.env };
  return startGroup(file, args, { ...spawnAs(account), cwd: folder, env, logFile });
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
  const postmaster = Number(textOf(`${dataFolder}/postmaster.pid`)?.split('\n')[0] ?? 0);
  // The file outlives a killed server, and its number may belong to another program by now.
  if (!textOf(`/proc/${postmaster}/cmdline`)?.includes(dataFolder)) return [];
  return [postmaster, ...childrenOf(postmaster)];
}
