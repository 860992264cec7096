import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The machine on which the figures were measured. */
export type Machine = ReturnType<typeof describeMachine>;

export function describeMachine(postgres: string) {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.platform()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres,
    // Processes that wanted to run when the benchmark began, over one minute: about 0 on a machine of one's own.
    loadBefore: Number((os.loadavg()[0] ?? 0).toFixed(2)),
  };
}

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
