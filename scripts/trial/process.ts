import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout, LOOPBACK } from '../service.ts';
import type { Random } from './random.ts';

/** End of a process: its exit code, or the signal that killed it. */
export type Ending = number | NodeJS.Signals | null;

/** A `paylinks serve` or `paylinks worker` that is there to be killed. */
export interface ServiceProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** The log so far. */
  log(): string;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Deliveries take seconds instead of days, and an attempt at most one, so that a run of a minute sees them end. The first
 * wait is six seconds, so that a busy machine does not confuse it with an attempt that follows at once.
 */
export const FAST_DELIVERY = {
  WEBHOOK_RETRY_SECONDS: '6,1,1,2,2,2,3',
  WEBHOOK_TIMEOUT_MS: '1000',
};

/** Encrypts the secrets of databases that live for a minute. */
export const SECRETS_KEY = `chaos:${Buffer.alloc(32, 9).toString('base64')}`;

const alive = new Set<ChildProcess>();
// No end of this process may leave services behind. Services stopped by SIGSTOP react to no other signal.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** The environment that processes of one database share. */
export function serviceEnvironment(databaseUrl: string, overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    SECRETS_KEY,
    PROCESSOR: 'sandbox',
    WEBHOOK_ALLOWED_NETWORKS: LOOPBACK,
    IP_REQUESTS_PER_MINUTE: '1000000',
    DRAIN_SECONDS: '0',
    ...FAST_DELIVERY,
    ...overrides,
  };
}

/**
 * Starts `paylinks <command>`, with a channel, so that it ends itself if this process is killed.
 *
 * @param options.logFile its log is written there as well
 * @param options.directory its working directory
 * @param options.nodeArguments come before the program, such as `--import`
 * @param options.program the command of another version of the service
 */
export function startProcess(
  command: 'serve' | 'worker',
  env: NodeJS.ProcessEnv,
  options: { logFile?: string; directory?: string; nodeArguments?: string[] | undefined; program?: string } = {},
): ServiceProcess {
  const program = options.program ?? join(checkout, 'src/cli/main.js');
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), program, command], {
    env,
    cwd: options.directory,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let log = '';
  const file = options.logFile === undefined ? null : createWriteStream(options.logFile, { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-KEPT_LOG);
      file?.write(text);
    });
  }
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code, signal) => {
      alive.delete(child);
      file?.end();
      resolve(signal ?? code);
    });
  });
  // Without a process id, a signal to the child would go to the group of this process.
  if (child.pid === undefined) throw new Error(`${process.execPath} could not be started`);
  alive.add(child);
  return { pid: child.pid, ended, log: () => log, signal: (signal) => void child.kill(signal) };
}

/** Characters of a process's log that are kept: the last minute of a busy one. */
const KEPT_LOG = 1_000_000;

/** Resolves when the API on this port is ready, its database included. */
export async function untilAnswering(port: number, deadlineMs = 30_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (performance.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    await pause(20);
  }
  throw new Error(`nothing answers on port ${port}`);
}

/** Ports for the APIs that survive their restarts: outside the range from which connections get theirs. */
export async function freePorts(count: number, random: Random): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = random.integer(20_000, 32_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
