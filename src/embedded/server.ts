/**
 * The embedded PostgreSQL of a checkout, for development, tests and `make run`.
 *
 * Cast: the *place* (folders, programs, account), the *postmaster* (PostgreSQL's main process), and its *users*: the
 * processes that started it or found it running. Each user keeps a shared lock while it uses the server. Only one process
 * at a time starts, joins or leaves, under the folder's start lock.
 *
 * Guarantees: each folder has at most one server. The last user to leave stops it, so a short command never ends the
 * database of a long one. A killed user counts as gone at once, and the next user adopts its server. Committed data
 * survive until the next start (with `isDurable`).
 */
import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { OperatorError } from '../base/errors.ts';
import { DEFAULT_MAJOR, type PostgresMajor } from './binaries.ts';
import { type Place, prepareData, SUPERUSER } from './cluster.ts';
import { becomeUser, type FileLock, hasUsers, tryStartLock, withStartLock } from './locks.ts';
import { findPlace, prepareDirectory } from './place.ts';
import { pollUntil } from './poll.ts';
import {
  findPostmaster,
  launch,
  type Postmaster,
  readPidFile,
  type StopMode,
  shutDown,
  signal,
  whenReady,
} from './postmaster.ts';
import { atProcessEnd } from './process-end.ts';

export interface EmbeddedPostgresOptions {
  /** Folder of the server, normally `.local/postgres` of the checkout. It is created if missing. */
  directory: string;
  /**
   * False for tests: PostgreSQL forces nothing to disk. A crash of the machine may then lose all data; a crash of processes
   * loses none. A running server keeps its setting.
   */
  isDurable: boolean;
  /** Major version of PostgreSQL, by default 18. It must be the version that created the folder's data. */
  major?: PostgresMajor;
  /** Gets a short text before each slow step. */
  onProgress?: (text: string) => void;
}

/** A running embedded server, as one of its users sees it. */
export interface EmbeddedPostgres {
  /** postgres:// URL with password of the database `paylinks`, on 127.0.0.1; stays the same across restart(). */
  url: string;
  /** PostgreSQL's main process, or the last known one if it does not run. It changes with restart(). */
  readonly postmasterPid: number;
  /**
   * Leaves the server. The last user to leave stops it and waits for its end: usually 0.1 s, at most 30 s. Close connections
   * and child processes first. A second call does nothing.
   */
  stop(): Promise<void>;
  /** Stops the server, even if others use it, and starts it on the same port. For tests of database crashes. */
  restart(mode: StopMode): Promise<void>;
}

const DATABASE = 'paylinks';
const CONNECT_MS = 10_000;
/** CREATE DATABASE copies 8 MB and forces it to disk. */
const QUERY_MS = 60_000;

/**
 * Starts the server of the folder, or joins a running one. A process that ends without stop() also leaves the server, but
 * does not wait for its end. Only after kill -9 it does not.
 *
 * @throws OperatorError, whose hint names the next step
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const directory = prepareDirectory(options.directory);
    return await withStartLock(directory, () => startOrJoin(directory, options));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The embedded PostgreSQL could not be started: ${error instanceof Error ? error.message : error}`,
      'Set DATABASE_URL to a PostgreSQL server (15 or newer) of yours if this does not pass.',
      { cause: error },
    );
  }
}

async function startOrJoin(directory: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const onProgress = options.onProgress ?? (() => undefined);
  const place = await findPlace(directory, options.major ?? DEFAULT_MAJOR);
  const password = await prepareData(place, options.isDurable, onProgress);
  const membership = becomeUser(directory);
  const cancel = atProcessEnd(() => leaveAtOnce(place, membership));
  try {
    // Waits for a server that a killed process was starting or stopping.
    const running = findPostmaster(place) && (await whenReady(place));
    if (running === null) onProgress('starting the embedded PostgreSQL');
    // Uses the port of a crashed server, because other processes may still have its URL.
    const postmaster = running ?? (await launch(place, options.isDurable, readPidFile(place)?.port ?? null));
    await ensureDatabase(urlOf(postmaster, password, 'postgres'));
    const url = urlOf(postmaster, password, DATABASE);
    return handle({ place, membership, isDurable: options.isDurable, url, lastKnownPid: postmaster.pid });
  } catch (error) {
    // The first failure is the one to report.
    await leave(place, membership).catch(() => undefined);
    throw error;
  } finally {
    cancel();
  }
}

interface UseState {
  place: Place;
  membership: FileLock;
  isDurable: boolean;
  url: string;
  lastKnownPid: number;
}

function handle(use: UseState): EmbeddedPostgres {
  const { place, membership, url } = use;
  let stopped: Promise<void> | null = null;
  const cancel = atProcessEnd(() => leaveAtEnd(place, membership));
  return {
    url,
    get postmasterPid() {
      return findPostmaster(place)?.pid ?? use.lastKnownPid;
    },
    stop: () => {
      stopped ??= (
        existsSync(place.directory) ? withStartLock(place.directory, () => leave(place, membership)) : leaveRemoved(use)
      ).finally(cancel);
      return stopped;
    },
    restart: (mode) => withStartLock(place.directory, () => restart(use, mode)),
  };
}

async function restart(use: UseState, mode: StopMode): Promise<void> {
  const port = Number(new URL(use.url).port);
  await shutDown(use.place, mode);
  const restarted = await launch(use.place, use.isDurable, port);
  use.lastKnownPid = restarted.pid;
  if (restarted.port !== port) throw new OperatorError(`Another process took port ${port}.`, 'Try once more.');
}

/** Ends our use of the server, and stops it if there are no other users. The caller has the start lock. */
async function leave(place: Place, membership: FileLock): Promise<void> {
  membership.release();
  if (!hasUsers(place.directory)) await shutDown(place, 'fast');
}

/** Ends our use and stops the server after its folder was removed, with all data and locks. */
async function leaveRemoved({ place, membership, lastKnownPid }: UseState): Promise<void> {
  membership.release();
  await shutDown(place, 'immediate', lastKnownPid);
}

/** Ends our use of the server without waiting for its end. The caller has the start lock. */
function leaveAtOnce(place: Place, membership: FileLock): void {
  membership.release();
  if (!hasUsers(place.directory)) signal(place, 'SIGINT');
}

/** Ends our use of the server at the end of the process. If another process is joining, that one takes the server over. */
function leaveAtEnd(place: Place, membership: FileLock): void {
  membership.release();
  try {
    const lock = tryStartLock(place.directory);
    if (lock !== null) leaveAtOnce(place, membership);
    lock?.release();
  } catch {
    // The folder was removed, or the process lost its rights to it. There is nothing left to do.
  }
}

/** Creates the service's database if it does not exist. Waits for a server that recovers from a crash. */
async function ensureDatabase(url: string): Promise<void> {
  let failure: unknown;
  const client = await pollUntil(async () => {
    const attempt = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: QUERY_MS });
    // A connection that breaks later reports it where it is used; without a listener it would end the process.
    attempt.on('error', () => undefined);
    try {
      await attempt.connect();
      return attempt;
    } catch (error) {
      failure = error;
      await attempt.end().catch(() => undefined);
      return null;
    }
  }, CONNECT_MS);
  if (client === null) throw failure;
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function urlOf(postmaster: Postmaster, password: string, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${postmaster.port}/${database}`;
}
