import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../../test/harness/random.ts';
import { freePorts, serviceEnvironment } from '../../test/harness/service-process.ts';
import { judge } from '../trial/checker.ts';
import { untilDrained } from '../trial/drained.ts';
import { startInstallation } from '../trial/installation.ts';
import { ProcessGroup } from '../trial/process-group.ts';
import { createEndpoints } from '../trial/setup.ts';
import { Timeline, toTenths } from '../trial/timeline.ts';
import { createHistory, createPracticesBy, runCommand } from './commands.ts';
import { startRequests } from './requests.ts';
import { Rotation } from './rotation.ts';
import type { Version } from './version.ts';

export interface UpgradeOptions {
  from: Version;
  to: Version;
  /** Folder for the logs and the database. */
  folder: string;
  say: (text: string) => void;
}

/** Load before the migration, between it and the next step, and beside each other. */
const STAGE_MS = 4_000;

/** APIs and workers of each version. */
const EACH = 2;

const ENDPOINTS = 2;

const LINKS_PER_SECOND = 10;

/** Links in the database before the upgrade. */
const HISTORY = 20_000;

/** A busy machine needs more than the second of `make chaos`. */
const WEBHOOK_TIMEOUT_MS = 3_000;

/** Longest time that a process may take to start, on a machine that others use as well. */
const START_MS = 180_000;

const STOP_MS = 20_000;

/**
 * Upgrades a running installation under load, and checks that nobody noticed.
 */
export async function runUpgrade(options: UpgradeOptions) {
  const { from, to, folder, say } = options;
  const random = createRandom(1);
  const installation = await startInstallation({ folder: { path: folder }, durable: true, random, migrates: false });
  const { directory, postgres, query, receivers } = installation;
  const env = serviceEnvironment(postgres.url, {
    WEBHOOK_TIMEOUT_MS: `${WEBHOOK_TIMEOUT_MS}`,
    // As operators have it.
    DRAIN_SECONDS: undefined,
  });
  const processes = new ProcessGroup({ env, directory });
  const startApi = async (version: Version, port: number) => {
    const { program } = version;
    processes.add({ name: `api-${port}`, command: 'serve', env: { PORT: `${port}` }, program });
    await rotation.add(port, START_MS);
  };
  const startWorkers = async (version: Version, age: 'old' | 'new') => {
    const { program } = version;
    for (const name of workersOf(age)) processes.add({ name, command: 'worker', program });
    await processes.untilUp(START_MS);
  };
  const stopApi = async (port: number) => {
    // The balancer notices by itself that it is not ready any more.
    rotation.expectEnd(port);
    await processes.end(`api-${port}`, STOP_MS);
  };
  const rotation = new Rotation();
  try {
    await runCommand(from, ['migrate'], env);
    const practices = await createPracticesBy(from, env);
    const ports = await freePorts(2 * EACH, random);
    const [oldPorts, newPorts] = [ports.slice(0, EACH), ports.slice(EACH)];
    await Promise.all(oldPorts.map((port) => startApi(from, port)));
    await startWorkers(from, 'old');
    const secrets = await createEndpoints(oldPorts[0] ?? 0, practices, receivers, ENDPOINTS);
    rotation.start();

    const creates = new Timeline();
    const load = { ports: rotation.ports, practices, linksPerSecond: LINKS_PER_SECOND, random, creates };
    const stopOld = async () => {
      say('stopping the old version');
      for (const name of workersOf('old')) await processes.end(name, STOP_MS);
      for (const port of oldPorts) await stopApi(port);
    };
    const requests = startRequests(load);
    await pause(STAGE_MS);
    await createHistory(query, HISTORY);
    await pause(STAGE_MS);
    const startedMs = performance.now();
    say('the old version runs; migrating');
    await runCommand(to, ['migrate'], env);
    const migratedMs = performance.now();
    await pause(STAGE_MS);
    say('the old version runs on the new schema; one of its APIs restarts');
    const [restarted = 0] = oldPorts;
    await stopApi(restarted);
    await startApi(from, restarted);
    say('starting the new version');
    await startWorkers(to, 'new');
    await Promise.all(newPorts.map((port) => startApi(to, port)));
    await pause(STAGE_MS);
    await stopOld();
    await pause(STAGE_MS);
    say('restarting the new version');
    for (const port of newPorts) {
      await stopApi(port);
      await startApi(to, port);
    }
    await pause(STAGE_MS);
    await requests.stop();
    const endedMs = performance.now();
    const { confirmed, failures } = requests.load;
    const failed = requests.faults();
    say('the new version runs alone');
    const { overdue } = await untilDrained(query, say);
    await rotation.stop();
    await processes.stop(STOP_MS);

    const { results, doubled, violations } = await judge({
      ...{ query, databaseUrl: postgres.url, overdue, unexpectedEnds: processes.unexpectedEnds },
      evidence: { arrivals: receivers.arrivals, confirmed, timeoutMs: WEBHOOK_TIMEOUT_MS, secrets },
      wrongAnswers: [],
      program: to.program,
    });
    const lost = results.find(({ rule }) => rule === 'Q1 every change has its events')?.broken.length ?? 0;
    return {
      from: from.commit,
      to: to.commit,
      // Duration of `paylinks migrate`.
      migrationSeconds: toTenths((migratedMs - startedMs) / 1_000),
      // Longest time between two confirmed creates: in the whole run, and while the migration ran.
      secondsWithoutCreates: creates.longestGap(startedMs, endedMs).seconds,
      secondsWithoutCreatesMigrating: creates.longestGap(startedMs, migratedMs).seconds,
      confirmed: confirmed.size,
      reads: requests.reads.answered(),
      // Requests that found no listener, so that a balancer asks another API.
      refused: failures.refused,
      // Requests that were answered 503 with Retry-After, such as by a cold process on a busy machine.
      unavailable: failures.unavailable,
      // Requests without an answer, reads without a 200, and answers that no fault excuses.
      failed: failed.length,
      eventsLost: lost,
      doubled,
      violations: [...failed, ...rotation.unready.map((text) => `an API was not ready: ${text}`), ...violations],
    };
  } finally {
    await rotation.stop();
    await processes.abandon();
    await installation.close({ keepsLogs: true });
  }
}

function workersOf(age: 'old' | 'new'): string[] {
  return Array.from({ length: EACH }, (_, at) => `${age}-worker-${at}`);
}
