import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DEFAULT_MAJOR, type PostgresMajor } from './binaries.ts';
import { type Place, prepareData, SUPERUSER } from './cluster.ts';
import { PostgresError } from './error.ts';
import { type OwnerLock, tryToOwn } from './owner.ts';
import { findPlace, homeOf, prepareDirectory } from './place.ts';
import { pollUntil } from './poll.ts';
import { findPostmaster, launch, readPidFile, type StopMode, shutDown, signal } from './postmaster.ts';
import { atProcessEnd } from './process-end.ts';

/*
 * The PostgreSQL of a checkout, for development, tests and `make run`. Whoever starts it owns it, and stops it. Another process
 * connects to the address in the folder, and its end changes nothing. After kill -9 of the owner, the next start stops what is left
 * of the server, and starts it at the same address with what was committed (with `isDurable`, also after a crash of the machine).
 */

export interface EmbeddedPostgresOptions {
  /** Folder of the server, normally `.local/postgres` of the checkout. It is created if missing. */
  directory: string;
  /**
   * False for tests: PostgreSQL forces nothing to disk. A crash of the machine may then lose all data; a crash of processes
   * loses none.
   */
  isDurable: boolean;
  /** Major version of PostgreSQL, by default 18. It must be the version that created the folder's data. */
  major?: PostgresMajor;
  /** Gets a short text before each slow step. */
  onProgress?: (text: string) => void;
}

/** A running server. */
export interface EmbeddedPostgres {
  /** postgres:// URL with password of the database `paylinks`, on 127.0.0.1; stays the same across restart(). */
  url: string;
  /** PostgreSQL's main process. It changes with restart(). */
  readonly postmasterPid: number;
  /**
   * Stops the server and waits for its end, if the caller owns it: usually 0.1 s, at most 30 s. Close connections and child processes
   * first. A second call does nothing.
   */
  stop(): Promise<void>;
  /** Stops the server, and starts it on the same port. For tests of database crashes. @throws if the caller does not own it */
  restart(mode: StopMode): Promise<void>;
}

const DATABASE = 'paylinks';
const CONNECT_MS = 10_000;
/** CREATE DATABASE copies 8 MB and forces it to disk. */
const QUERY_MS = 60_000;
/** Longest wait for the start of another process, with its setup and recovery. */
const OTHER_START_MS = 330_000;

/**
 * Starts the server of the folder and owns it, or connects to that of another process. An owner that ends without stop() stops the
 * server, too, but does not wait for its end. Only after kill -9 it does not.
 *
 * @throws PostgresError, whose hint names the next step
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const directory = prepareDirectory(options.directory);
    const server = await pollUntil(async () => {
      const lock = tryToOwn(directory);
      return lock === null ? connect(directory) : await own(directory, lock, options);
    }, OTHER_START_MS);
    if (server !== null) return server;
    throw new PostgresError(
      `Another process has been starting or stopping the embedded PostgreSQL in ${directory} for minutes.`,
      `End it (\`fuser ${join(directory, 'owner.lock')}\` prints its number), then start again.`,
    );
  } catch (error) {
    if (error instanceof PostgresError) throw error;
    throw new PostgresError(
      `The embedded PostgreSQL could not be started: ${error instanceof Error ? error.message : error}`,
      'Set DATABASE_URL to a PostgreSQL server (15 or newer) of yours if this does not pass.',
      { cause: error },
    );
  }
}

/**
 * Stops the server of the folder, even if processes use it. Then removes the folder and all its data, also those outside of it. Does
 * nothing if the folder does not exist.
 *
 * @throws PostgresError
 */
export async function removeEmbeddedPostgres(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const path = prepareDirectory(directory);
  const home = homeOf(path);
  await shutDown({ home }, 'fast');
  // The folder with the note is removed last, so that an interrupted removal can be repeated.
  rmSync(home, { recursive: true, force: true });
  rmSync(path, { recursive: true, force: true });
}

/** Returns the server of another process, once it is there; null before. */
function connect(directory: string): EmbeddedPostgres | null {
  const file = addressFile(directory);
  if (!existsSync(file)) return null;
  return {
    url: readFileSync(file, 'utf8'),
    postmasterPid: findPostmaster({ home: homeOf(directory) })?.pid ?? 0,
    stop: async () => undefined,
    restart: () => Promise.reject(new Error('another process owns this server')),
  };
}

/** Starts the server, after the end of what a killed owner left of it. */
async function own(
  directory: string,
  lock: OwnerLock,
  { major = DEFAULT_MAJOR, isDurable, onProgress = () => undefined }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  let place: Place | undefined;
  const end = atProcessEnd(() => place && signal(place, 'SIGINT'));
  try {
    rmSync(addressFile(directory), { force: true });
    place = await findPlace(directory, major);
    // Other processes may still have the address of a server whose owner was killed.
    const formerPort = readPidFile(place)?.port ?? null;
    await shutDown(place, 'fast');
    const password = await prepareData(place, isDurable, onProgress);
    onProgress('starting the embedded PostgreSQL');
    const { pid, port } = await launch(place, isDurable, formerPort);
    const urlOf = (database: string) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
    await ensureDatabase(urlOf('postgres'));
    writeFileSync(addressFile(directory), urlOf(DATABASE), { mode: 0o600 });
    return ownedServer({ place, lock, isDurable, url: urlOf(DATABASE), port, pid }, end);
  } catch (error) {
    // The first failure is the one to report.
    if (place !== undefined) await shutDown(place, 'fast').catch(() => undefined);
    end();
    lock.release();
    throw error;
  }
}

interface Owned {
  place: Place;
  lock: OwnerLock;
  isDurable: boolean;
  url: string;
  port: number;
  pid: number;
}

function ownedServer(owned: Owned, end: () => void): EmbeddedPostgres {
  const { place, lock, isDurable, url, port } = owned;
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    rmSync(addressFile(place.directory), { force: true });
    // The folder may have been removed, with all data.
    await shutDown(place, existsSync(place.directory) ? 'fast' : 'immediate', owned.pid);
    end();
    lock.release();
  };
  return {
    url,
    get postmasterPid() {
      return owned.pid;
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    restart: async (mode) => {
      await shutDown(place, mode, owned.pid);
      const restarted = await launch(place, isDurable, port);
      owned.pid = restarted.pid;
      if (restarted.port !== port) throw new PostgresError(`Another process took port ${port}.`, 'Try once more.');
    },
  };
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

/** Path of the file with the address, which is there while the server runs. */
function addressFile(directory: string): string {
  return join(directory, 'url');
}
