import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeEmbeddedPostgres } from '../../src/embedded/remove.ts';
import { startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { examine } from '../chaos/checker.ts';
import { type ServiceProcess, serviceEnvironment, startProcess } from '../chaos/process.ts';
import { createRandom } from '../chaos/random.ts';
import { startReceivers } from '../chaos/receivers.ts';
import { freePorts, untilDrained } from '../chaos/run.ts';
import { createEndpoints, queryOn } from '../chaos/setup.ts';
import { checkStoredData } from '../chaos/stored-data.ts';
import { Timeline, toTenths } from '../failover/outage.ts';
import { postgresMajor } from '../postgres-major.ts';
import { createHistory, createPracticesBy, runCommand } from './commands.ts';
import { Requests } from './requests.ts';
import { Rotation } from './rotation.ts';
import type { Version } from './version.ts';

/** Result of an upgrade. */
export interface UpgradeReport {
  from: string;
  to: string;
  /** Duration of `paylinks migrate`. */
  migrationSeconds: number;
  /** Longest time between two confirmed creates: in the whole run, and while the migration ran. */
  secondsWithoutCreates: number;
  secondsWithoutCreatesMigrating: number;
  confirmed: number;
  reads: number;
  /** Requests that found no listener, so that a balancer asks another API. */
  refused: number;
  /** Requests that were answered 503 with Retry-After, such as by a cold process on a busy machine. */
  unavailable: number;
  /** Requests without an answer, reads without a 200, and answers that no fault excuses. */
  failed: number;
  eventsLost: number;
  /** Answers 2xx of receivers beyond the first, summed over the events. */
  doubled: number;
  /** All that broke a rule; empty when the upgrade passed. */
  violations: string[];
}

export interface UpgradeOptions {
  from: Version;
  to: Version;
  /** Folder for the logs and the database. */
  folder: string;
  linksPerSecond: number;
  /** Links in the database before the upgrade. */
  history: number;
  /** Time between taking an API out of the balancer and stopping it, for versions that do not drain by themselves. */
  drainMs: number;
  /** True from 1.x: no process runs while it migrates. */
  withStop: boolean;
  say: (text: string) => void;
}

interface Api {
  port: number;
  name: string;
  process: ServiceProcess;
}

/** Load before the migration, between it and the next step, and beside each other. */
const STAGE_MS = 4_000;

/** APIs and workers of each version. */
const EACH = 2;

const ENDPOINTS = 2;

/** A busy machine needs more than the second of `make chaos`. */
const WEBHOOK_TIMEOUT_MS = 3_000;

/** Longest time that a process may take to start, on a machine that others use as well. */
const START_MS = 180_000;

/** Time after the end of the last worker of 1.x at which `migrate` of 2.0.0 begins. */
const STOPPED_MS = 11_000;

/** Longest time that a process may take to stop. */
const STOP_MS = 20_000;

/**
 * Upgrades a running installation under load, and checks that nobody noticed. From 1.x it stops the former version before it migrates,
 * and checks that `migrate` refuses until then.
 */
export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  const { from, to, folder, say } = options;
  const random = createRandom(1);
  // Of a run that was killed.
  await removeEmbeddedPostgres(join(folder, 'postgres'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const postgres = await startEmbeddedPostgres({
    directory: join(folder, 'postgres'),
    durable: true,
    major: postgresMajor,
  });
  const receivers = await startReceivers(random);
  const env = serviceEnvironment(postgres.url, {
    WEBHOOK_TIMEOUT_MS: `${WEBHOOK_TIMEOUT_MS}`,
    // As operators have it.
    DRAIN_SECONDS: undefined,
  });
  const query = queryOn(postgres.url);
  const running = new Set<ServiceProcess>();
  const unexpected: string[] = [];
  const start = (version: Version, name: string, port: number | null) => {
    const process = startProcess(
      port === null ? 'worker' : 'serve',
      { ...env, PORT: `${port ?? 0}` },
      { directory: folder, logFile: join(folder, `${name}.log`), program: version.program },
    );
    running.add(process);
    process.ended.then((ending) => {
      if (running.delete(process)) unexpected.push(`${name} ended with ${ending}: ${process.log().slice(-600)}`);
    });
    return process;
  };
  const stop = async (name: string, process: ServiceProcess) => {
    running.delete(process);
    process.signal('SIGTERM');
    const timer = setTimeout(() => process.signal('SIGKILL'), STOP_MS);
    const ending = await process.ended;
    clearTimeout(timer);
    if (ending !== 0) unexpected.push(`${name} ended with ${ending} after it was asked to end`);
  };
  const startWorker = async (version: Version, name: string) => {
    const worker = start(version, name, null);
    const deadlineMs = performance.now() + START_MS;
    while (!worker.log().includes('"msg":"working"')) {
      if (performance.now() > deadlineMs) throw new Error(`${name} does not work: ${worker.log()}`);
      await pause(20);
    }
    return worker;
  };
  const rotation = new Rotation();
  try {
    await runCommand(from, ['migrate'], env);
    const practices = await createPracticesBy(from, env);
    const ports = await freePorts(2 * EACH, random);
    const oldPorts = ports.slice(0, EACH);
    const oldApis = oldPorts.map((port, at) => ({
      port,
      name: `old-api-${at}`,
      process: start(from, `old-api-${at}`, port),
    }));
    const oldWorkers = await Promise.all([...Array(EACH).keys()].map((at) => startWorker(from, `old-worker-${at}`)));
    for (const port of oldPorts) await rotation.add(port);
    const secrets = await createEndpoints(oldPorts[0] ?? 0, practices, receivers, ENDPOINTS);
    rotation.start();

    const creates = new Timeline();
    const requests = new Requests({
      ports: rotation.ports,
      practices,
      linksPerSecond: options.linksPerSecond,
      random,
      creates,
    });
    const stopOld = async () => {
      say('stopping the old version');
      for (const [at, worker] of oldWorkers.entries()) await stop(`old-worker-${at}`, worker);
      for (const api of oldApis) await stopApi(from, api);
    };
    requests.start();
    await pause(STAGE_MS);
    await createHistory(query, options.history);
    await pause(STAGE_MS);
    let startedMs = performance.now();
    if (options.withStop) {
      const refusal = await runCommand(to, ['migrate'], env).then(
        () => 'it migrated',
        (error: Error) => error.message,
      );
      if (!refusal.includes('Processes of version 1.x run')) unexpected.push(`migrate beside 1.x: ${refusal}`);
      await requests.stop();
      await stopOld();
      await pause(STOPPED_MS);
      startedMs = performance.now();
    }
    say(options.withStop ? 'nothing runs; migrating' : 'the old version runs; migrating');
    await runCommand(to, ['migrate'], env);
    const migratedMs = performance.now();
    if (!options.withStop) {
      await pause(STAGE_MS);
      say('the old version runs on the new schema; one of its APIs restarts');
      const [restarted] = oldApis;
      if (restarted === undefined) throw new Error('there are APIs');
      await stopApi(from, restarted);
      restarted.process = start(from, restarted.name, restarted.port);
      await rotation.add(restarted.port);
    }
    say('starting the new version');
    await Promise.all([...Array(EACH).keys()].map((at) => startWorker(to, `new-worker-${at}`)));
    const newPorts = ports.slice(EACH);
    const newApis = newPorts.map((port, at) => ({
      port,
      name: `new-api-${at}`,
      process: start(to, `new-api-${at}`, port),
    }));
    for (const port of newPorts) await rotation.add(port);
    if (options.withStop) requests.start();
    await pause(STAGE_MS);
    if (!options.withStop) await stopOld();
    await pause(STAGE_MS);
    say('restarting the new version');
    for (const api of newApis) {
      await stopApi(to, api);
      api.process = start(to, api.name, api.port);
      await rotation.add(api.port);
    }
    await pause(STAGE_MS);
    await requests.stop();
    const endedMs = performance.now();
    const { confirmed, faults: failed } = requests;
    say('the new version runs alone');
    const { overdue } = await untilDrained(query, say);
    await rotation.stop();
    await Promise.all([...running].map((process) => stop('a new process', process)));

    const { findings, doubled } = await examine(query, {
      arrivals: receivers.arrivals,
      confirmed,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      secrets,
    });
    const lost = findings.find(({ rule }) => rule === 'Q1 every change has its events')?.broken.length ?? 0;
    return {
      from: from.commit,
      to: to.commit,
      migrationSeconds: toTenths((migratedMs - startedMs) / 1_000),
      secondsWithoutCreates: gapOf(creates, startedMs, endedMs),
      secondsWithoutCreatesMigrating: gapOf(creates, startedMs, migratedMs),
      confirmed: confirmed.size,
      reads: requests.answeredReads,
      refused: requests.failures('refused'),
      unavailable: requests.failures('unavailable'),
      failed: failed.length,
      eventsLost: lost,
      doubled,
      violations: [
        ...failed,
        ...rotation.unready.map((text) => `an API was not ready: ${text}`),
        ...overdue.map((text) => `due, but not attempted within lease and sweep: ${text}`),
        ...findings.flatMap(({ rule, broken }) => broken.map((text) => `${rule}: ${text}`)),
        ...checkStoredData(postgres.url, to.program).map((text) => `paylinks check found: ${text}`),
        ...unexpected.map((text) => `unexpected end: ${text}`),
      ],
    };
  } finally {
    await rotation.stop();
    for (const process of running) {
      running.delete(process);
      process.signal('SIGKILL');
    }
    await receivers.close();
    await postgres.stop();
    await removeEmbeddedPostgres(join(folder, 'postgres'));
  }

  /** Stops an API. The balancer notices by itself that it is not ready any more, unless the version does not drain. */
  async function stopApi({ drains }: Version, { port, name, process }: Api): Promise<void> {
    if (drains) rotation.expectEnd(port);
    else if (options.drainMs > 0) {
      rotation.remove(port);
      await pause(options.drainMs);
    }
    await stop(name, process);
  }
}

/** Returns the longest time without a create, in seconds. */
function gapOf(creates: Timeline, fromMs: number, toMs: number): number {
  const gap = creates.longestGap(fromMs, toMs);
  return toTenths((gap.toMs - gap.fromMs) / 1_000);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
