import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { pollUntil } from 'development-postgres/poll';
import { postgresMajor } from '../harness/postgres-major.ts';
import { newScratchFolder, scratch } from '../harness/scratch.ts';

/** Another process that uses the embedded server. */
export interface User {
  url: string;
  postmasterPid: number;
  /** Leaves in order, and waits until the process is gone. */
  leave(): Promise<void>;
  /** Ends it by a signal, SIGKILL by default, and waits until the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const USER_PROCESS = fileURLToPath(new URL('./user-process.ts', import.meta.url));
/** Longest wait of a test. The usual wait takes a second; a loaded machine gets twenty. */
const DEADLINE_MS = 20_000;

const directories: string[] = [];
const processes = new Set<ChildProcess>();

/** A new folder below `parent`; cleanUp() removes it, with the server in it. */
export async function newDirectory(parent = scratch): Promise<string> {
  const directory = await mkdtemp(join(parent, 'paylinks-embedded-test-'));
  directories.push(directory);
  return directory;
}

/** A folder that a server has been started in and stopped again. */
let started: Promise<string> | undefined;

/**
 * A new folder with the data of a first start, for tests about what comes later. Copying the data takes less than half
 * the time that making them does.
 */
export async function newDirectoryWithData(): Promise<string> {
  started ??= startOnce();
  const directory = await newDirectory();
  execFileSync('cp', ['-a', `${await started}/.`, directory]);
  return directory;
}

async function startOnce(): Promise<string> {
  const directory = newScratchFolder('embedded-data');
  await (await startEmbeddedPostgres({ directory, isDurable: false, major: postgresMajor })).stop();
  return directory;
}

/** Removes what newDirectoryWithData() copies. */
export async function removeData(): Promise<void> {
  if (started !== undefined) await removeEmbeddedPostgres(await started);
  started = undefined;
}

/** Ends all processes of the test, servers included, and removes all its folders. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...processes].map((child) => kill(child)));
  for (const directory of directories.splice(0)) await removeEmbeddedPostgres(directory);
}

/** Starts a process that uses the server of the folder; resolves once it does. */
export async function startUser(directory: string, manner: 'stop' | 'exit' = 'stop'): Promise<User> {
  const child = spawn(process.execPath, [USER_PROCESS, directory, manner], { stdio: ['pipe', 'pipe', 'inherit'] });
  processes.add(child);
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [undefined])]);
  if (typeof line !== 'string') throw new Error('the process ended before it used the server');
  return {
    ...JSON.parse(line),
    leave: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
      processes.delete(child);
    },
    kill: (signal) => kill(child, signal),
  };
}

/** Waits until the process is gone. */
export async function gone(pid: number): Promise<void> {
  if (!(await pollUntil(() => (isAlive(pid) ? null : true), DEADLINE_MS))) throw new Error(`${pid} is still alive`);
}

/** Returns true if the process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self') || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
  child.kill(signal);
  await exited;
  processes.delete(child);
}
