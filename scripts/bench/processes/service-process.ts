import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { checkout, LOOPBACK, NODE_FLAGS } from '../../service.ts';
import { residentMb } from '../machine.ts';

/** Encrypts the endpoints' secrets of a run, whose databases go with it. */
export const SECRETS_KEY = `bench:${Buffer.alloc(32, 7).toString('base64')}`;

/** More than any run sends in a minute: the windows are kept and looked at as always, and never full. */
export const UNLIMITED_PER_MINUTE = 1_000_000;

/** Time in which a process must start or stop: more than an attempt's deadline. */
const START_STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 3;

/** A `paylinks serve` or `paylinks worker`, started as in production. */
export interface ServiceProcess {
  readonly pid: number;
  /** Port of `serve`. */
  readonly port: number;
  residentMb(): number | null;
  stop(): Promise<void>;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/**
 * Starts a process and resolves when it is ready: `serve` answers `/readyz`, `worker` says that it works. Its log, at
 * info as in production, goes to a file. PROFILE=1 writes its CPU profile beside that when it stops.
 */
export async function startService(
  command: 'serve' | 'worker',
  databaseUrl: string,
  folder: string,
  environment: Record<string, string> = {},
): Promise<ServiceProcess> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const logFile = join(folder, `${command}-${port}.log`);
  const profile = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, [...NODE_FLAGS, ...profile, join(checkout, 'src/cli/main.js'), command], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      SECRETS_KEY,
      PROCESSOR: 'sandbox',
      WEBHOOK_ALLOWED_NETWORKS: LOOPBACK,
      IP_REQUESTS_PER_MINUTE: `${UNLIMITED_PER_MINUTE}`,
      PORT: `${port}`,
      DRAIN_SECONDS: '0',
      ...environment,
    },
    // The channel ends the child if this process is killed.
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  alive.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => alive.delete(child));
  const { pid = 0 } = child;
  const isReady = command === 'serve' ? () => answers(port) : () => readFileSync(logFile, 'utf8').includes('"working"');
  await untilReady(child, isReady, logFile);
  return {
    pid,
    port,
    residentMb: () => residentMb(pid),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), START_STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function untilReady(child: ChildProcess, isReady: () => boolean | Promise<boolean>, logFile: string) {
  const deadlineAt = performance.now() + START_STOP_TIMEOUT_MS;
  while (performance.now() < deadlineAt && child.exitCode === null && child.pid !== undefined) {
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  child.kill('SIGKILL');
  throw new Error(`a process did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
}

async function answers(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
