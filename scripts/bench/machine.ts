import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The machine on which the figures were measured. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  postgres: string;
  /** Processes that wanted to run when the benchmark began, over one minute: about 0 on a machine of one's own. */
  loadBefore: number;
}

/** Describes this machine. */
export function describeMachine(postgres: string): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.platform()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres,
    loadBefore: Number((os.loadavg()[0] ?? 0).toFixed(2)),
  };
}

/** In one line. */
export function machineLine({ cpu, cores, memoryGb, system, node, postgres, loadBefore }: Machine): string {
  const software = `Node ${node}, PostgreSQL ${postgres}`;
  return `${cores} × ${cpu}, ${memoryGb} GB, ${system}, ${software}, load before ${loadBefore}`;
}

/** Per cent of all cores that are busy while this process waits: what other programs take. */
export async function busyPercent(forMs: number): Promise<number> {
  const before = times();
  await pause(forMs);
  const after = times();
  const all = after.busy + after.idle - before.busy - before.idle;
  return all === 0 ? 0 : Math.round(((after.busy - before.busy) / all) * 100);
}

function times(): { busy: number; idle: number } {
  const cores = os.cpus().map(({ times }) => times);
  const idle = cores.reduce((sum, core) => sum + core.idle, 0);
  const busy = cores.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { busy, idle };
}

/** Resident megabytes of a process; null where the system has no /proc. */
export function residentMb(pid: number): number | null {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
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
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => statOf(Number(name))?.[1] === String(pid));
  return [pid, ...children.map(Number)].reduce((sum, each) => sum + (processorMs(each) ?? 0), ended);
}

/** Fields of /proc/<pid>/stat from the state on; null without /proc, or when the process has ended. */
function statOf(pid: number): string[] | null {
  try {
    // The name, in parentheses, may contain anything; the fields after it are numbers.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}
