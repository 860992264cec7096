import { childrenOf, textOf } from '../proc.ts';

/** Sends a signal to processes that may have ended. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
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
