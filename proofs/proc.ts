import { readdirSync, readFileSync } from 'node:fs';

/** Resident megabytes of a process; null where the system has no /proc. */
export function residentMb(pid: number): number | null {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`) ?? '')?.[1];
  return kb === undefined ? null : Number(kb) / 1024;
}

/** Clock ticks a second in /proc, the same on every Linux of today. */
const TICKS_PER_SECOND = 100;

/**
 * Milliseconds of processor time a process has used; null without /proc. Unlike rates it hardly depends on what else
 * the machine does.
 */
export function processorMs(pid: number): number | null {
  const fields = statOf(pid);
  return fields === null ? null : ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/**
 * Milliseconds of processor time that a process and its children have used, with those that ended; null without /proc.
 * For PostgreSQL: all sessions, writers and cleaners of a server.
 */
export function processorMsWithChildren(pid: number): number | null {
  const own = statOf(pid);
  if (own === null) return null;
  const ended = ((Number(own[13]) + Number(own[14])) * 1000) / TICKS_PER_SECOND;
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + (processorMs(each) ?? 0), ended);
}

/** Returns the ids of a process's children. */
export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((each) => statOf(each)?.[1] === String(pid));
}

/** Fields of /proc/<pid>/stat from the state on; null without /proc, or when the process has ended. */
function statOf(pid: number): string[] | null {
  // The name, in parentheses, may contain anything; the fields after it are numbers.
  const fields = textOf(`/proc/${pid}/stat`)?.replace(/^.*\) /s, '');
  return fields?.split(' ') ?? null;
}

/** Returns the text of a file; null if it cannot be read. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
