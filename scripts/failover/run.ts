import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { examine } from '../chaos/checker.ts';
import { startLoad } from '../chaos/load.ts';
import { serviceEnvironment } from '../chaos/process.ts';
import { ProcessGroup } from '../chaos/process-group.ts';
import { createRandom } from '../chaos/random.ts';
import { startReceivers } from '../chaos/receivers.ts';
import { freePorts, untilDrained } from '../chaos/run.ts';
import { createEndpoints, createPractices, queryOn } from '../chaos/setup.ts';
import { checkStoredData } from '../chaos/stored-data.ts';
import type { Cluster } from './cluster.ts';
import { DatabaseProbe, Timeline, toTenths } from './outage.ts';
import type { Scenario } from './scenarios.ts';

/** Result of one scenario, once. */
export interface RoundReport {
  scenario: string;
  /** Longest time in which no create was confirmed. */
  secondsWithoutCreates: number;
  /** Longest time in which the database committed nothing, as a program without the service sees it. */
  secondsWithoutDatabase: number;
  /** Times between the first and the last 503 to a create, before and after the database was back. */
  secondsOf503Before: number;
  secondsOf503After: number;
  confirmed: number;
  /** Confirmed to a caller, and not in the database. */
  missing: number;
  eventsLost: number;
  /** Answers 2xx of receivers beyond the first, summed over the events. */
  doubled: number;
  /** Processes that ended by themselves. */
  restarts: number;
  /** Findings of `paylinks check`. */
  findings: number;
  /** All that broke a rule; empty when the round passed. */
  violations: string[];
}

export interface RoundOptions {
  cluster: Cluster;
  scenario: Scenario;
  /** Number of the round, from 1 on. It seeds the load, and names the database. */
  round: number;
  /** Folder for the logs of the service. */
  folder: string;
  /** Duration of the load. */
  seconds: number;
  linksPerSecond: number;
  say: (text: string) => void;
}

/** Time of undisturbed load before the fault. */
const BEFORE_FAULT_MS = 5_000;

/** Endpoints of each practice, so that each link has that many deliveries. */
const ENDPOINTS = 3;

/** A caller repeats once a second, and for longer than any election lasts. */
const RETRY = { everyMs: 1_000, forMs: 180_000 };

/** Receivers share a process with hundreds of callers that repeat, so they need longer than in `make chaos`. */
const WEBHOOK_TIMEOUT_MS = 3_000;

/** Time in which the cluster must be whole again after the fault. A killed server reads all its files before it starts. */
const HEALTHY_MS = 300_000;

const CONFIRMED_RULE = 'Q1 what was confirmed is there';
const EVENTS_RULE = 'Q1 every change has its events';

/** Runs one scenario under load, in a new database. Then waits until nothing is due, and checks what is stored. */
export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const { cluster, scenario, round, say } = options;
  const name = `${scenario.name}_${round}`;
  await cluster.untilHealthy(HEALTHY_MS);
  await onDatabases(cluster, `create database ${pg.escapeIdentifier(name)}`);
  const url = cluster.url(name);
  await migrate(url, createLogger('silent'));
  const random = createRandom(round);
  const receivers = await startReceivers(random);
  const ports = await freePorts(2, random);
  const directory = join(options.folder, name);
  mkdirSync(directory, { recursive: true });
  const env = serviceEnvironment(url, { WEBHOOK_TIMEOUT_MS: `${WEBHOOK_TIMEOUT_MS}` });
  const processes = new ProcessGroup({ env, directory, ports, workers: 2 });
  const probe = new DatabaseProbe(cluster.url('postgres'));
  try {
    const practices = await createPractices(url);
    await processes.untilUp(60_000);
    const secrets = await createEndpoints(ports[0] ?? 0, practices, receivers, ENDPOINTS);
    await probe.start();
    const creates = new Timeline();
    const load = startLoad({
      ports,
      practices,
      links: options.seconds * options.linksPerSecond,
      spreadMs: options.seconds * 1_000,
      random,
      retry: RETRY,
      // A repeated create also gets 409, while the first one waits for its commit.
      observeCreate: (status) => {
        if (status === 201 || status === 503) creates.record(status === 201);
      },
    });
    const loadEnded = load.done.then(() => performance.now());
    await new Promise((resolve) => setTimeout(resolve, BEFORE_FAULT_MS));
    let faultMs = 0;
    await scenario.inject(cluster, () => {
      faultMs = performance.now();
    });
    say('the fault is over');
    await cluster.untilHealthy(HEALTHY_MS);
    const endedMs = await loadEnded;
    await probe.stop();
    const { overdue } = await untilDrained(queryOn(url), say);
    await processes.stop(20_000);
    const { findings, doubled } = await examine(queryOn(url), {
      arrivals: receivers.arrivals,
      confirmed: load.confirmed,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      secrets,
    });
    const stored = checkStoredData(url);
    const broken = (rule: string) => findings.find((finding) => finding.rule === rule)?.broken.length ?? 0;
    const [gap, databaseGap] = [creates.longestGap(faultMs, endedMs), probe.commits.longestGap(faultMs, endedMs)];
    const report = {
      scenario: scenario.title,
      secondsWithoutCreates: secondsOf(gap),
      secondsWithoutDatabase: secondsOf(databaseGap),
      secondsOf503Before: creates.failingSeconds(faultMs, databaseGap.toMs),
      secondsOf503After: creates.failingSeconds(databaseGap.toMs, Number.POSITIVE_INFINITY),
      confirmed: load.confirmed.size,
      missing: broken(CONFIRMED_RULE),
      eventsLost: broken(EVENTS_RULE),
      doubled,
      restarts: processes.unexpectedEnds.length,
      findings: stored.length,
      violations: [
        ...overdue.map((text) => `due, but not attempted within lease and sweep: ${text}`),
        ...findings.flatMap((finding) => finding.broken.map((text) => `${finding.rule}: ${text}`)),
        ...stored.map((text) => `paylinks check found: ${text}`),
        ...load.wrongAnswers.map((text) => `wrong answer: ${text}`),
        ...processes.unexpectedEnds.map((text) => `unexpected end: ${text}`),
      ],
    };
    // A killed server syncs the files of all databases, so each one left behind would make the next rounds longer.
    if (report.violations.length === 0)
      await onDatabases(cluster, `drop database ${pg.escapeIdentifier(name)} with (force)`);
    return report;
  } finally {
    await probe.stop();
    await processes.abandon();
    await receivers.close();
  }
}

function secondsOf({ fromMs, toMs }: { fromMs: number; toMs: number }): number {
  return toTenths((toMs - fromMs) / 1_000);
}

async function onDatabases(cluster: Cluster, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
