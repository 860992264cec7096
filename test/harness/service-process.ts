import { type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atProcessEnd } from 'development-postgres/process-end';
import type { Random } from './random.ts';
import { until } from './until.ts';

/** End of a process: its exit code, or the signal that killed it. */
export type Ending = number | NodeJS.Signals | null;

/** A `paylinks serve` or `paylinks worker` that is there to be killed. */
export type ServiceProcess = ReturnType<typeof startProcess>;

/**
 * Deliveries take seconds instead of days, and an attempt at most one, so that a run of a minute sees them end. The first
 * wait is six seconds, so that a busy machine does not confuse it with an attempt that follows at once.
 */
export const FAST_DELIVERY = {
  WEBHOOK_RETRY_SECONDS: '6,1,1,2,2,2,3',
  WEBHOOK_TIMEOUT_MS: '1000',
};

/** The command line of the checkout. */
export const PROGRAM = fileURLToPath(new URL('../../src/main/cli/main.js', import.meta.url));

/** Encrypts the secrets of databases that live for a minute. */
export const SECRETS_KEY = `chaos:${Buffer.alloc(32, 9).toString('base64')}`;

export function serviceEnvironment(databaseUrl: string, overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    SECRETS_KEY,
    PROCESSOR: 'sandbox',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    IP_REQUESTS_PER_MINUTE: '1000000',
    DRAIN_SECONDS: '0',
    ...FAST_DELIVERY,
    ...overrides,
  };
}

interface StartOptions {
  /** The log is appended there; otherwise it is kept in memory. */
  logFile?: string;
  /** Its working directory. */
  directory?: string | undefined;
  /** Come before the program, such as `--import`. */
  nodeArguments?: readonly string[] | undefined;
  /** The command of another version of the service. */
  program?: string | undefined;
}

/** Starts `paylinks <command>`. The channel makes it end by itself if this process is killed. */
export function startProcess(
  command: 'serve' | 'worker',
  env: NodeJS.ProcessEnv,
  { logFile, directory, nodeArguments = [], program = PROGRAM }: StartOptions = {},
) {
  // What earlier runs wrote to the file is no part of this log.
  const begin = logFile === undefined ? 0 : (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0);
  const options = { env, cwd: directory, logFile, hasChannel: true };
  const { child, pid, ended, signal } = startGroup(process.execPath, [...nodeArguments, program, command], options);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-KEPT_LOG);
    });
  }
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()));
  return {
    ...{ pid, ended, signal },
    /** Resolves when the command says that it works. */
    ready,
    log: () => (logFile === undefined ? log : readFileSync(logFile).subarray(begin).toString()),
    /** Asks it to end, and kills it if that takes longer. */
    async stop(withinMs: number): Promise<Ending> {
      signal('SIGTERM');
      const timer = setTimeout(signal, withinMs, 'SIGKILL');
      const ending = await ended;
      clearTimeout(timer);
      return ending;
    },
  };
}

/** Starts a program in a process group of its own, so that Ctrl-C reaches only this process. Its output is appended to the log file. */
export function startGroup(
  file: string,
  args: readonly string[],
  { logFile, hasChannel = false, ...options }: SpawnOptions & { logFile?: string | undefined; hasChannel?: boolean },
) {
  const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const stdio: StdioOptions = ['ignore', output, output, ...(hasChannel ? ['ipc' as const] : [])];
  const child = spawn(file, args, { ...options, stdio, detached: true });
  if (output !== 'pipe') closeSync(output);
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  // Without a process id, a signal to the child would go to the group of this process.
  if (child.pid === undefined) throw new Error(`${file} could not be started: see that its account can read it`);
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  // No end of this process may leave programs behind. What SIGSTOP has stopped reacts to no other signal.
  ended.then(atProcessEnd(() => signal('SIGKILL')));
  return { child, pid: child.pid, ended, signal };
}

/** Characters of a process's log that are kept: the last minute of a busy one. */
const KEPT_LOG = 1_000_000;

/** Time for a start on a busy machine; usually it takes one second. */
const START_MS = 30_000;

/** Resolves when a process is up. @throws with the end of its log if it ends before, or takes too long */
export async function untilUp(process: ServiceProcess, up: Promise<unknown> = process.ready): Promise<void> {
  const late = pause(START_MS, 'no answer in time', { ref: false });
  const ended = process.ended.then((ending) => (typeof ending === 'number' ? `exit code ${ending}` : `${ending}`));
  const failure = await Promise.race([up.then(() => undefined), ended, late]);
  if (failure === undefined) return;
  const tail = process.log().trimEnd().split('\n').slice(-3).join('\n');
  throw new Error(`The service did not start (${failure}). The end of its log:\n${tail}`);
}

/** Resolves when the API on this port is ready, its database included. */
export async function untilAnswering(port: number, withinMs = START_MS, everyMs = 20): Promise<void> {
  const isReady = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok ?? false;
  };
  await until(isReady, { withinMs, everyMs, failure: `nothing answers on port ${port}` });
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

/** Returns true if nobody listens on the port. */
export function isFree(port: number, address = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, address, () => server.close(() => resolve(true)));
  });
}
