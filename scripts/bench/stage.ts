import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { postgresMajor } from '../postgres-major.ts';
import { processorMsWithChildren } from '../proc.ts';
import { localFolder } from '../service.ts';
import type { FloorApiProcedures } from './floors/api.ts';
import type { FloorWorkerProcedures } from './floors/drain.ts';
import type { LoadProcedures } from './processes/load-process.ts';
import type { ReceiverProcedures } from './processes/receiver-process.ts';
import type { RefunderProcedures } from './processes/refunder-process.ts';
import { Remote } from './processes/remote.ts';
import { type ServiceProcess, startService } from './processes/service-process.ts';

/** The account of the service, which separates its statements from those of the benchmark. */
export const SERVICE_ROLE = 'bench_service';
const PASSWORD = 'bench';

/** The migrated database of which each scene is a copy. */
const TEMPLATE = 'bench_template';

/** A database of one scenario. */
export interface Scene {
  /** For the service and the floors. */
  url: string;
  /** For the benchmark itself: another account. */
  admin: pg.Pool;
}

/** The helpers: processes that simulate clients and receivers. */
export interface Helpers {
  load: Remote<LoadProcedures>;
  receiver: Remote<ReceiverProcedures>;
  floorApi: Remote<FloorApiProcedures>;
  floorWorker: Remote<FloorWorkerProcedures>;
  refunder: Remote<RefunderProcedures>;
}

/**
 * The environment of the scenarios: a durable PostgreSQL of their own (fsync on, as in production), with a fresh database
 * for each. It ends every process that it started, after errors as well.
 */
export class Stage {
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #scenes: Scene[] = [];
  readonly #processes = new Set<{ stop(): Promise<unknown> }>();
  #scenesMade = 0;

  private constructor(server: EmbeddedPostgres, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  /** Starts the server and migrates the template of all databases. */
  static async open(say: (text: string) => void): Promise<Stage> {
    const folder = join(localFolder, 'bench');
    mkdirSync(folder, { recursive: true });
    const directory = join(localFolder, `bench-postgres-${postgresMajor}`);
    const server = await startEmbeddedPostgres({ directory, durable: true, major: postgresMajor, onProgress: say });
    const stage = new Stage(server, folder);
    await stage.#prepareTemplate();
    return stage;
  }

  /** PostgreSQL's version. */
  async postgresVersion(): Promise<string> {
    const [row] = await this.#administer<{ server_version: string }>('show server_version');
    return row?.server_version ?? 'unknown';
  }

  /** Milliseconds of processor time that the whole PostgreSQL has used; null where the system does not report it. */
  databaseProcessorMs(): number | null {
    return processorMsWithChildren(this.#server.postmasterPid);
  }

  /** A fresh, migrated database. */
  async newScene(): Promise<Scene> {
    const name = `bench_${++this.#scenesMade}`;
    await this.#administer(`create database ${name} template ${TEMPLATE} owner ${SERVICE_ROLE}`);
    const admin = new pg.Pool({ connectionString: withDatabase(this.#server.url, name), max: 4 });
    admin.on('error', () => undefined);
    const url = new URL(withDatabase(this.#server.url, name));
    url.username = SERVICE_ROLE;
    url.password = PASSWORD;
    const scene = { url: url.href, admin };
    this.#scenes.push(scene);
    return scene;
  }

  /** Starts `paylinks serve` or `paylinks worker` on the scene's database. */
  async start(
    command: 'serve' | 'worker',
    scene: Scene,
    environment: Record<string, string> = {},
  ): Promise<ServiceProcess> {
    const service = await startService(command, scene.url, this.#folder, environment);
    this.#processes.add(service);
    return service;
  }

  /** Starts a helper process; it ends with the scene. */
  helper<N extends keyof Helpers>(name: N): Helpers[N] {
    const scripts: Record<keyof Helpers, string> = {
      load: './processes/load-process.ts',
      receiver: './processes/receiver-process.ts',
      floorApi: './floors/api.ts',
      floorWorker: './floors/drain.ts',
      refunder: './processes/refunder-process.ts',
    };
    const remote = new Remote(new URL(scripts[name], import.meta.url)) as Helpers[N];
    this.#processes.add(remote);
    return remote;
  }

  /** Ends the scenario's processes and drops its databases. */
  async clear(): Promise<void> {
    await Promise.all([...this.#processes].map((running) => running.stop()));
    this.#processes.clear();
    for (const { url, admin } of this.#scenes.splice(0)) {
      await admin.end();
      await this.#administer(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
    }
  }

  /** Ends everything. */
  async close(): Promise<void> {
    try {
      await this.clear();
      await this.#administer(`drop database if exists ${TEMPLATE}`);
    } finally {
      await this.#server.stop();
    }
  }

  async #prepareTemplate(): Promise<void> {
    await this.#dropLeftOvers();
    await this.#administer(`do $$ begin
      create role ${SERVICE_ROLE} login password '${PASSWORD}';
    exception when duplicate_object or unique_violation then null; end $$`);
    await this.#administer(`create database ${TEMPLATE} owner ${SERVICE_ROLE}`);
    const url = new URL(withDatabase(this.#server.url, TEMPLATE));
    await query(url.href, 'create extension pg_stat_statements');
    url.username = SERVICE_ROLE;
    url.password = PASSWORD;
    await migrate(url.href, createLogger('silent'));
  }

  /** Drops databases of a run that was killed. */
  async #dropLeftOvers(): Promise<void> {
    const found = await this.#administer<{ datname: string }>(
      `select datname from pg_database where datname like 'bench\\_%'`,
    );
    for (const { datname } of found) await this.#administer(`drop database ${datname} with (force)`);
  }

  #administer<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
    return query<Row>(withDatabase(this.#server.url, 'postgres'), statement);
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
