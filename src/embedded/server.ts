/**
 * The embedded PostgreSQL of a checkout, for development, tests and `make run`.
 *
 * Cast: the *place* (folders, programs, account), the *postmaster* (PostgreSQL's main process), and its *users*: the
 * processes that started it or found it running. Each of them holds a shared lock for as long as it uses the server.
 * Starting, joining and leaving happen one process at a time, under the folder's start lock.
 *
 * Guaranteed: at most one server per folder; the last user to leave stops it, so that a short command never takes the
 * database away from a long one; a user that dies without a word counts as gone at once, and the server it leaves behind
 * is adopted by the next; what was committed is there at the next start (with `durable`).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DEFAULT_MAJOR, type PostgresMajor } from './binaries.ts';
import { prepareData, SUPERUSER } from './cluster.ts';
import { atProcessEnd } from './ending.ts';
import { EmbeddedPostgresError, ServerFailed } from './errors.ts';
import type { FileLock } from './file-lock.ts';
import { findPlace, prepareDirectory, settleOwners } from './place.ts';
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
import { enter, hasUsers, tryStartLock, underStartLock } from './users.ts';
import type { Place } from './whereabouts.ts';

export interface EmbeddedPostgresOptions {
  /** Where everything is kept, normally `.local/postgres` of the checkout; made if need be. */
  directory: string;
  /**
   * False for tests: nothing is forced to disk. A crash of the machine may then cost all data; what was committed still
   * survives any death of processes. A server that runs already goes on as it was started.
   */
  durable: boolean;
  /** The major version of PostgreSQL, 18 unless told; the folder's data stays with the one that made it. */
  major?: PostgresMajor;
  /** What takes longer than a moment, a few words each, for a person who waits. */
  onProgress?: (text: string) => void;
}

export interface EmbeddedPostgres {
  /** postgres:// URL with password of the database `paylinks`, on 127.0.0.1; stays the same across restart(). */
  url: string;
  /** True if this call started the server or adopted one that nobody used any more; false if it joined others. */
  owned: boolean;
  /** PostgreSQL's main process, as of now: it changes with restart(). */
  readonly postmasterPid: number;
  /**
   * Leaves the server. The last user to leave stops it and waits until it is down: at most 30 s, usually 0.1 s; as long as
   * other processes use it, it stays. End connections and child processes first. A second call does nothing.
   */
  stop(): Promise<void>;
  /** For tests of database crashes: stops the server, whoever uses it, and starts it on the same port. */
  restart(mode: StopMode): Promise<void>;
}

const DATABASE = 'paylinks';
const CONNECT_MS = 10_000;
/** CREATE DATABASE copies 8 MB and forces it to disk. */
const QUERY_MS = 60_000;

/**
 * Starts the server of the folder, or joins it if it runs already. Throws an EmbeddedPostgresError, whose hint says what
 * a person can do. A process that ends without stop(), but not by kill -9, leaves the server as stop() would, only without
 * waiting for it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const directory = prepareDirectory(options.directory);
    return await underStartLock(directory, () => startOrJoin(directory, options));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new ServerFailed(
      `The embedded PostgreSQL could not be started: ${error instanceof Error ? error.message : error}`,
      'Set DATABASE_URL to a PostgreSQL server (15 or newer) of yours if this does not pass.',
      { cause: error },
    );
  }
}

async function startOrJoin(directory: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const onProgress = options.onProgress ?? (() => undefined);
  const place = await findPlace(directory, options.major ?? DEFAULT_MAJOR);
  const password = await prepareData(place, options.durable, onProgress);
  const others = hasUsers(directory);
  const membership = enter(directory);
  const cancel = atProcessEnd(() => leaveAtOnce(place, membership));
  try {
    // One that a killed process was just starting or stopping is waited for.
    const running = findPostmaster(place) && (await whenReady(place));
    if (running === null) onProgress('starting the embedded PostgreSQL');
    // The port of a crashed server, because others may still hold its URL.
    const postmaster = running ?? (await launch(place, options.durable, readPidFile(place)?.port ?? null));
    await ensureDatabase(urlOf(postmaster, password, 'postgres'));
    settleOwners(directory);
    const url = urlOf(postmaster, password, DATABASE);
    const owned = running === null || !others;
    return handle({ place, membership, durable: options.durable, url, owned, lastKnownPid: postmaster.pid });
  } catch (error) {
    // The first failure is the one to tell.
    await leave(place, membership).catch(() => undefined);
    throw error;
  } finally {
    cancel();
  }
}

/** What one call of startEmbeddedPostgres() has in its hands. */
interface UseState {
  place: Place;
  membership: FileLock;
  durable: boolean;
  url: string;
  owned: boolean;
  lastKnownPid: number;
}

function handle(use: UseState): EmbeddedPostgres {
  const { place, membership, url, owned } = use;
  let stopped: Promise<void> | null = null;
  const cancel = atProcessEnd(() => leaveAtEnd(place, membership));
  return {
    url,
    owned,
    get postmasterPid() {
      return current(place).pid;
    },
    stop: () => {
      stopped ??= (
        existsSync(place.directory)
          ? underStartLock(place.directory, () => leave(place, membership))
          : leaveRemoved(use)
      ).finally(cancel);
      return stopped;
    },
    restart: (mode) => underStartLock(place.directory, () => restart(use, mode)),
  };
}

async function restart(use: UseState, mode: StopMode): Promise<void> {
  const { port } = current(use.place);
  await shutDown(use.place, mode);
  const restarted = await launch(use.place, use.durable, port);
  use.lastKnownPid = restarted.pid;
  if (restarted.port !== port) throw new ServerFailed(`Port ${port} was taken meanwhile.`, 'Try once more.');
}

function current(place: Place): Postmaster {
  const postmaster = findPostmaster(place);
  if (postmaster !== null) return postmaster;
  throw new ServerFailed(
    'The embedded PostgreSQL does not run any more.',
    `Look at the end of ${join(place.directory, 'server.log')}, and start again.`,
  );
}

/** Gives up our use of the server, and stops it if that was the last one. The caller holds the start lock. */
async function leave(place: Place, membership: FileLock): Promise<void> {
  membership.release();
  if (!hasUsers(place.directory)) await shutDown(place, 'fast');
}

/** The same after somebody removed the folder, and with it all that could be saved and all locks. */
async function leaveRemoved({ place, membership, lastKnownPid }: UseState): Promise<void> {
  membership.release();
  await shutDown(place, 'immediate', lastKnownPid);
}

/** The same for a process that can't wait any more. The caller holds the start lock. */
function leaveAtOnce(place: Place, membership: FileLock): void {
  membership.release();
  if (!hasUsers(place.directory)) signal(place, 'SIGINT');
}

/** The same without the lock. Whoever is joining at this moment takes the server over. */
function leaveAtEnd(place: Place, membership: FileLock): void {
  membership.release();
  try {
    const lock = tryStartLock(place.directory);
    if (lock !== null) leaveAtOnce(place, membership);
    lock?.release();
  } catch {
    // The folder was removed, or the process lost the right to it: nothing left to do, and nobody left to tell.
  }
}

/** Creates the service's database if it is not there. Waits for a server that is just recovering from a crash. */
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
