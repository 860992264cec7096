import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ANOTHER_DATABASE, PROBE_TIMEOUT_MS, serverEnvironment, spawnAs } from './account.ts';
import { program, shipsLibrary } from './binaries.ts';
import { dataOf, type Place } from './cluster.ts';
import { PostgresError } from './error.ts';
import { pollUntil } from './poll.ts';

/** PostgreSQL's main process, as described in `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  /** True if the file says that the server accepts connections. */
  ready: boolean;
}

/** Shutdown mode: `fast` writes all data to disk, `immediate` ends as in a crash. */
export type StopMode = 'fast' | 'immediate';

/** Signals that end a server, the next one if the one before takes too long. */
const SIGNALS = { fast: ['SIGINT', 'SIGQUIT', 'SIGKILL'], immediate: ['SIGQUIT', 'SIGKILL'] } as const;
/** Time for one signal. A fast shutdown writes all dirty buffers. After any other, the next start recovers from the log. */
const STOP_MS = 10_000;
/** Timeout of a start. Recovery after a crash reads up to 1 GB of log (max_wal_size). */
const START_TIMEOUT_MS = 120_000;
/** Enough for several processes with a pool each, and the test suite. */
const MAX_CONNECTIONS = 200;
/**
 * Ports below those of outgoing connections (from 32768 on Linux). Otherwise a client of a stopped server could get the
 * server's port as its own, connect to itself, and block the server's next start.
 */
const PORTS = { from: 20_000, below: 32_000 };
const PORT_TRIES = 50;
const LOG = 'server.log';

/** The lines of `postmaster.pid`, counted from 0; the file is PostgreSQL's interface for pg_ctl. */
const LINE = { pid: 0, port: 3, status: 7 };

/** Reads `postmaster.pid`, which may be outdated; null if it is missing or incomplete. */
export function readPidFile(place: Pick<Place, 'home'>): Postmaster | null {
  const lines = readIfThere(join(dataOf(place), 'postmaster.pid')).split('\n');
  const pid = Number(lines[LINE.pid]);
  const port = Number(lines[LINE.port]);
  if (!(pid > 0) || !(port > 0)) return null;
  return { pid, port, ready: lines[LINE.status]?.trim() === 'ready' };
}

/** Returns the server that runs, starts or stops on this data; null if there is none. */
export function findPostmaster(place: Pick<Place, 'home'>): Postmaster | null {
  const found = readPidFile(place);
  return found !== null && isPostmaster(found.pid, dataOf(place)) ? found : null;
}

/**
 * Starts a server on this data, on the preferred port if it is free, and waits until it accepts connections. The caller has
 * locked the folder and checked that no server runs.
 *
 * @throws PostgresError with the end of the log
 */
export async function launch(place: Place, isDurable: boolean, preferredPort: number | null): Promise<Postmaster> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let port = await freePort(preferredPort);
  while (true) {
    // After a crash the pid may belong to another program of this account, which PostgreSQL would take for a server.
    if (findPostmaster(place) === null) await rm(join(dataOf(place), 'postmaster.pid'), { force: true });
    const outcome = await launchOnce(place, serverFlags(place, isDurable, port), deadline - performance.now());
    if (typeof outcome !== 'string') return outcome;
    // Another program took the port in between.
    if (/could not bind|Address already in use/.test(outcome)) port = await freePort(null);
    // Processes of a killed server are still ending.
    else if (!/pre-existing shared memory block|lock file .* already exists/.test(outcome)) throw startFailed(outcome);
    if (performance.now() >= deadline) throw startFailed(outcome);
  }
}

/**
 * Ends the server and waits for its end. After 10 s it changes from fast to immediate shutdown.
 *
 * @param ownPid process id of the server that the caller started; otherwise that in the files of the data
 * @throws PostgresError if the server does not end
 */
export async function shutDown(place: Pick<Place, 'home'>, mode: StopMode, ownPid?: number): Promise<void> {
  const pid = ownPid ?? findPostmaster(place)?.pid;
  if (pid === undefined) return;
  // The process ends shortly after its postmaster.pid is removed. Until then it still uses port and memory.
  const ask = () => (isPostmaster(pid, dataOf(place)) ? null : true);
  for (const name of SIGNALS[mode]) {
    signal(place, name, pid);
    if (await pollUntil(ask, STOP_MS)) return;
  }
  throw new PostgresError(
    `The embedded PostgreSQL (process ${pid}) does not end, not even by SIGKILL.`,
    'Its disk probably does not answer; look with `ps` and `dmesg`.',
  );
}

/** Sends the server a signal to end and does not wait, for a process that is about to end. */
export function signal(place: Pick<Place, 'home'>, name: NodeJS.Signals, ownPid?: number): void {
  const pid = ownPid ?? findPostmaster(place)?.pid;
  if (pid === undefined || !isPostmaster(pid, dataOf(place))) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // The server has already ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function serverFlags(place: Place, isDurable: boolean, port: number): string[] {
  const onOff = isDurable ? 'on' : 'off';
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    // synchronous_commit stays on. Without fsync it costs nothing measurable, and tests of server crashes need it.
    fsync: onOff,
    full_page_writes: onOff,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    shared_preload_libraries: shipsLibrary(place.binaries, 'pg_stat_statements') ? 'pg_stat_statements' : '',
  };
  return ['-D', dataOf(place), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Returns the running server, or the end of its log if it did not start. */
async function launchOnce(place: Place, flags: string[], deadlineMs: number): Promise<Postmaster | string> {
  const logFile = join(place.directory, LOG);
  const log = await open(logFile, 'w', 0o600);
  // A process group of its own: the terminal's Ctrl-C goes to the owner, who stops the server after its own children.
  const child = spawn(program(place.binaries, 'postgres'), flags, {
    ...spawnAs(place.account),
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  let ended: string | null = null;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signalName) => {
    ended = `It ended with ${signalName ?? code}.`;
  });
  await log.close();
  const up = await pollUntil(() => {
    const postmaster = findPostmaster(place);
    return ended !== null || (postmaster?.pid === child.pid && postmaster?.ready) ? { postmaster } : null;
  }, deadlineMs);
  child.unref();
  if (up?.postmaster && ended === null) return up.postmaster;
  if (up === null) child.kill('SIGQUIT');
  return `${ended ?? 'It did not get ready in time.'}\n${(await readFile(logFile, 'utf8')).slice(-2000)}`;
}

/**
 * Returns true if this process is the server of this data. The pid alone is no proof. After a crash it may belong to
 * another program. In a container whose first process reaps no children it stays in use.
 */
function isPostmaster(pid: number, data: string): boolean {
  if (existsSync('/proc/self/cmdline')) return readIfThere(`/proc/${pid}/cmdline`).split('\0').includes(data);
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS });
  return ps.stdout?.includes(` ${data} `) ?? false;
}

/** Returns the preferred port if it is free, otherwise a random free port of our range. */
async function freePort(preferred: number | null): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const candidate = tries === 0 && preferred !== null ? preferred : randomInt(PORTS.from, PORTS.below);
    if (await isFree(candidate)) return candidate;
  }
  throw startFailed(`No free port was found between ${PORTS.from} and ${PORTS.below}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function startFailed(detail: string): PostgresError {
  return new PostgresError(
    `The embedded PostgreSQL did not start. ${detail.trim()}`,
    `If its data is damaged, remove it with \`make clean\` (all of it is lost), ${ANOTHER_DATABASE}`,
  );
}
