import { join } from 'node:path';
import pg from 'pg';
import { localFolder, NODE_FLAGS } from '../../scripts/service.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createRandom } from '../../test/harness/random.ts';
import {
  freePorts,
  serviceEnvironment,
  startProcess,
  untilAnswering,
  untilUp,
} from '../../test/harness/service-process.ts';
import { processorMsWithChildren, residentMb } from '../proc.ts';
import { type Installation, startInstallation } from '../trial/installation.ts';
import { queryOn } from '../trial/setup.ts';
import type { FloorApiProcedures } from './floors/api.ts';
import type { FloorWorkerProcedures } from './floors/drain.ts';
import type { LoadProcedures } from './processes/load-process.ts';
import type { ReceiverProcedures } from './processes/receiver-process.ts';
import type { RefunderProcedures } from './processes/refunder-process.ts';
import { Remote } from './processes/remote.ts';

/** The account of the service, which separates its statements from those of the benchmark. */
export const SERVICE_ROLE = 'bench_service';

/** The migrated database of which each scene is a copy. */
const TEMPLATE = 'bench_template';

/** Time in which a process must start or stop: more than an attempt's deadline. */
const START_STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 3;

/** A database of one scenario. */
export interface Scene {
  /** For the service and the floors. */
  url: string;
  /** For the benchmark itself: another account. */
  admin: pg.Pool;
}

/** Processes that simulate clients and receivers, and floors. */
export interface Helpers {
  load: Remote<LoadProcedures>;
  receiver: Remote<ReceiverProcedures>;
  floorApi: Remote<FloorApiProcedures>;
  floorWorker: Remote<FloorWorkerProcedures>;
  refunder: Remote<RefunderProcedures>;
}

const SCRIPTS: Record<keyof Helpers, string> = {
  load: './processes/load-process.ts',
  receiver: './processes/receiver-process.ts',
  floorApi: './floors/api.ts',
  floorWorker: './floors/drain.ts',
  refunder: './processes/refunder-process.ts',
};

/** A `paylinks serve` or `paylinks worker`, started as in production. */
export type ServiceProcess = Awaited<ReturnType<Stage['start']>>;

/**
 * The environment of the scenarios: a durable PostgreSQL of their own (fsync on, as in production), with a fresh database
 * for each. It ends every process that it started, after errors as well.
 */
export class Stage {
  readonly #installation: Installation;
  readonly #random = createRandom(process.pid);
  readonly #scenes: Scene[] = [];
  readonly #processes = new Set<{ stop(): Promise<unknown> }>();
  #scenesMade = 0;

  private constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** Starts the server and migrates the template of all databases. */
  static async open(): Promise<Stage> {
    const folder = { path: join(localFolder, 'bench') };
    const installation = await startInstallation({ folder, durable: true, random: createRandom(1), migrates: false });
    const stage = new Stage(installation);
    await installation.query(`create role ${SERVICE_ROLE} login password '${SERVICE_ROLE}'`);
    await installation.query(`create database ${TEMPLATE} owner ${SERVICE_ROLE}`);
    await queryOn(stage.#urlOf(TEMPLATE))('create extension pg_stat_statements');
    await migrate(stage.#urlOf(TEMPLATE, SERVICE_ROLE), createLogger('silent'));
    return stage;
  }

  async postgresVersion(): Promise<string> {
    const [row] = await this.#installation.query<{ server_version: string }>('show server_version');
    return row?.server_version ?? 'unknown';
  }

  /** Milliseconds of processor time that the whole PostgreSQL has used; null where the system does not report it. */
  databaseProcessorMs(): number | null {
    return processorMsWithChildren(this.#installation.postgres.postmasterPid);
  }

  /** A fresh, migrated database. */
  async newScene(): Promise<Scene> {
    const name = `bench_${++this.#scenesMade}`;
    await this.#installation.query(`create database ${name} template ${TEMPLATE} owner ${SERVICE_ROLE}`);
    const admin = new pg.Pool({ connectionString: this.#urlOf(name), max: 4 });
    admin.on('error', () => undefined);
    const scene = { url: this.#urlOf(name, SERVICE_ROLE), admin };
    this.#scenes.push(scene);
    return scene;
  }

  /**
   * Starts a process on the scene's database, and resolves when it is ready: `serve` answers `/readyz`, `worker` says that it
   * works. Its log, at info as in production, goes to a file. PROFILE=1 writes its CPU profile beside that when it stops.
   */
  async start(command: 'serve' | 'worker', { url }: Scene, environment: Record<string, string> = {}) {
    const { directory } = this.#installation;
    const [port = 0] = await freePorts(1, this.#random);
    const profile = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${directory}`] : [];
    const env = serviceEnvironment(url, {
      NODE_ENV: 'production',
      PORT: `${port}`,
      // As operators have it.
      WEBHOOK_RETRY_SECONDS: undefined,
      WEBHOOK_TIMEOUT_MS: undefined,
      ...environment,
    });
    const logFile = join(directory, `${command}-${port}.log`);
    const running = startProcess(command, env, { directory, logFile, nodeArguments: [...NODE_FLAGS, ...profile] });
    const { pid } = running;
    const service = {
      ...{ pid, port, residentMb: () => residentMb(pid) },
      stop: () => running.stop(START_STOP_TIMEOUT_MS),
    };
    this.#processes.add(service);
    await untilUp(running, command === 'serve' ? untilAnswering(port, START_STOP_TIMEOUT_MS, POLL_MS) : running.ready);
    return service;
  }

  /** Starts a helper process; it ends with the scene. */
  helper<N extends keyof Helpers>(name: N): Helpers[N] {
    const remote = new Remote(new URL(SCRIPTS[name], import.meta.url)) as Helpers[N];
    this.#processes.add(remote);
    return remote;
  }

  /** Ends the scenario's processes and drops its databases. */
  async clear(): Promise<void> {
    await Promise.all([...this.#processes].map((running) => running.stop()));
    this.#processes.clear();
    for (const { url, admin } of this.#scenes.splice(0)) {
      await admin.end();
      await this.#installation.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    }
  }

  async close(): Promise<void> {
    try {
      await this.clear();
    } finally {
      await this.#installation.close({ keepsLogs: true });
    }
  }

  /** Returns the address of a database, for the benchmark itself or for a role whose password is its name. */
  #urlOf(database: string, role?: string): string {
    const url = new URL(this.#installation.postgres.url);
    url.pathname = `/${database}`;
    if (role !== undefined) [url.username, url.password] = [role, role];
    return url.href;
  }
}
