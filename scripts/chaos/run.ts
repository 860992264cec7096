import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { removeEmbeddedPostgres } from '../../src/embedded/remove.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { postgresMajor } from '../postgres-major.ts';
import { type Examination, examine } from './checker.ts';
import type { Query } from './evidence.ts';
import { carryOut, endWorkers, type FaultPlan, findLockedJobs, planFaults, type Tally } from './faults.ts';
import { type Load, startLoad } from './load.ts';
import { FAST_DELIVERY, serviceEnvironment } from './process.ts';
import { ProcessGroup } from './process-group.ts';
import { createRandom, type Random } from './random.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { loseNotifications, slowDownRefunds } from './refunds/at-sandbox.ts';
import { type RefundLoad, startRefundLoad } from './refunds/load.ts';
import { countRefunds, type RefundCounts, untilReconciled } from './refunds/reconcile.ts';
import {
  createPaidLinks,
  createRefundEndpoints,
  createRefundingPractice,
  FAST_SETTLEMENT,
  type RefundingPractice,
} from './refunds/setup.ts';
import { findOverdueEndpoints } from './rules-of-tables.ts';
import { createEndpoints, createPractices, queryOn } from './setup.ts';
import { checkStoredData } from './stored-data.ts';

export interface RunOptions {
  seed: number;
  /** Duration of load and faults. */
  seconds: number;
  /** Links per second of load. */
  linksPerSecond: number;
  /** Paid links per second that are refunded or disputed, and as many test links. */
  refundsPerSecond: number;
  workers: number;
  serves: number;
  /** Reports progress in a few words. */
  say: (text: string) => void;
  /** In place of the plan that the seed makes. */
  plan?: FaultPlan[];
  /** True if writes must reach the disk, as in production. Crashes of processes alone do not need it. */
  durable: boolean;
  /** For mutants: what Node is started with. */
  nodeArguments?: string[];
  env?: NodeJS.ProcessEnv;
}

/** Result of a run. */
export interface RunReport extends Examination {
  seed: number;
  faults: Tally;
  endpoints: number;
  links: number;
  /** Counted after the last fault, before the workers ask the processor. */
  refunds: RefundCounts;
  events: number;
  statuses: Record<string, number>;
  /** Requests that reached receivers. */
  arrivals: number;
  /** Attempts whose worker died. */
  interrupted: number;
  /** Requests of callers that failed and were repeated. */
  failedCalls: number;
  /** From the last fault until nothing waited. */
  drainedMs: number;
  /** Everything that broke a rule; empty when the run passed. */
  violations: string[];
  /** Logs, kept after a violation. */
  directory: string;
}

/** WEBHOOK_TIMEOUT_MS of the runs, the lease's margin over it, and the period of the sweep. */
const TIMEOUT_MS = Number(FAST_DELIVERY.WEBHOOK_TIMEOUT_MS);
const LEASE_MS = TIMEOUT_MS + 5_000;
const SWEEP_MS = 5_000;

/** Time in which the jobs of a killed worker must be unlocked. */
const UNLOCKED_MS = 60_000;

/** Time that a busy machine of two cores adds to any bound. */
const SLOW_MACHINE_MS = 4_000;

/** Time for slow receivers to take their backlog, and for retry schedules to end. */
const DRAIN_MS = 120_000;

/** Generators of their own, so that the plan of faults depends on the seed alone, not on who asks first. */
const [RECEIVERS, PORTS, LOAD, REFUNDS] = [1_000_000, 2_000_000, 3_000_000, 4_000_000];

/** Everything that one run must remove. */
interface Stage {
  directory: string;
  postgres: EmbeddedPostgres;
  query: Query;
  receivers: Receivers;
  processes: ProcessGroup;
}

/**
 * One run: load and faults, then calm, then the examination. Leaves nothing running, and no files but the logs of a run
 * that failed.
 */
export async function runChaos(options: RunOptions): Promise<RunReport> {
  const random = createRandom(options.seed);
  const directory = mkdtempSync(join(tmpdir(), `paylinks-chaos-${options.seed}-`));
  // PostgreSQL may run as another account, which has to get through to its own folder in here.
  chmodSync(directory, 0o711);
  const receivers = await startReceivers(createRandom(options.seed + RECEIVERS));
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    durable: options.durable,
    major: postgresMajor,
  });
  let processes: ProcessGroup | null = null;
  let isClean = false;
  try {
    await migrate(postgres.url, createLogger('silent'));
    const ports = await freePorts(options.serves, createRandom(options.seed + PORTS));
    const env = serviceEnvironment(postgres.url, { ...FAST_SETTLEMENT, ...options.env });
    processes = new ProcessGroup({
      env,
      directory,
      ports,
      workers: options.workers,
      nodeArguments: options.nodeArguments,
    });
    const stage = { directory, postgres, query: queryOn(postgres.url), receivers, processes };
    const report = await runFaults(stage, ports, options, random);
    isClean = report.violations.length === 0;
    return report;
  } finally {
    await processes?.abandon();
    await receivers.close();
    await postgres.stop();
    await removeEmbeddedPostgres(join(directory, 'postgres'));
    if (isClean) rmSync(directory, { recursive: true, force: true });
  }
}

async function runFaults(stage: Stage, ports: number[], options: RunOptions, random: Random): Promise<RunReport> {
  const { processes, query, receivers } = stage;
  const { seconds, linksPerSecond, say } = options;
  const practices = await createPractices(stage.postgres.url);
  const refunding = await createRefundingPractice(stage.postgres.url);
  await processes.untilUp(30_000);
  const secrets = new Map([
    ...(await createEndpoints(ports[0] ?? 0, practices, receivers)),
    ...(await createRefundEndpoints(ports[0] ?? 0, refunding, receivers)),
  ]);
  const links = Math.round(seconds * linksPerSecond);
  say(`${secrets.size} endpoints, ${links} links`);
  const refundLoad = await startRefunds(stage, ports, options, refunding);
  const load = startLoad({
    ports,
    practices,
    links,
    spreadMs: seconds * 1_000,
    random: createRandom(options.seed + LOAD),
  });
  const lockedJobs = new Set<string>();
  const victims = { ...stage, random, freezeMs: LEASE_MS + 500, lockedJobs };
  const faults = await carryOut(options.plan ?? planFaults(random, seconds * 1_000), victims);
  await Promise.all([load.done, refundLoad.done]);
  await endWorkers(victims);
  await loseNotifications(query);
  const refunds = await countRefunds(query);
  const lastKillMs = performance.now();
  await processes.untilUp(30_000);
  say(`faults are over; ${refunds.refunds} refunds, ${refunds.unanswered} without an answer`);
  const { drainedMs, overdue } = await untilNothingWaits(query, say);
  say(`nothing is due; ${lockedJobs.size} jobs were locked when workers died`);
  const stillLocked = await untilUnlocked(query, lockedJobs, lastKillMs + UNLOCKED_MS);
  await processes.stop(20_000);
  const examination = await examine(query, {
    arrivals: receivers.arrivals,
    confirmed: load.confirmed,
    timeoutMs: TIMEOUT_MS,
    secrets,
    refunds: refundLoad.evidence,
  });
  const violations = [
    ...overdue.map((text) => `Q6 due, but not attempted within lease and sweep: ${text}`),
    ...stillLocked.map((text) => `Q7 locked by a dead worker for more than a minute: job ${text}`),
    ...examination.findings.flatMap(({ rule, broken }) => broken.map((text) => `${rule}: ${text}`)),
    ...checkStoredData(stage.postgres.url).map((text) => `Q9 paylinks check found: ${text}`),
    ...[...load.wrongAnswers, ...refundLoad.wrongAnswers].map((text) => `wrong answer: ${text}`),
    ...processes.unexpectedEnds.map((text) => `unexpected end: ${text}`),
  ];
  const counted = await count(query, receivers, load);
  return {
    seed: options.seed,
    faults,
    endpoints: secrets.size,
    refunds,
    drainedMs,
    violations,
    directory: stage.directory,
    ...counted,
    ...examination,
  };
}

/** Pays links while nothing fails, and starts to refund them. */
async function startRefunds(
  { postgres, query }: Stage,
  ports: number[],
  { seed, seconds, refundsPerSecond }: RunOptions,
  practice: RefundingPractice,
): Promise<RefundLoad> {
  const random = createRandom(seed + REFUNDS);
  const count = Math.round(seconds * refundsPerSecond);
  const order = { liveKey: practice.liveKey, port: ports[0] ?? 0, count, random };
  const links = await createPaidLinks(postgres.url, query, order);
  await slowDownRefunds(query);
  return startRefundLoad({ ports, random, practice, links, spreadMs: seconds * 1_000, query });
}

/** Waits until the workers have asked the processor about everything, and until what they publish is delivered as well. */
async function untilNothingWaits(query: Query, say: (text: string) => void) {
  const startedMs = performance.now();
  const [before] = await Promise.all([untilDrained(query, say), untilReconciled(query)]);
  const after = await untilDrained(query, say);
  const overdue = [...new Set([...before.overdue, ...after.overdue])];
  return { drainedMs: Math.round(performance.now() - startedMs), overdue };
}

/** Waits until nothing is due, and checks that no endpoint waits for a worker too long. */
export async function untilDrained(query: Query, say: (text: string) => void) {
  const startedMs = performance.now();
  const boundMs = LEASE_MS + SWEEP_MS + SLOW_MACHINE_MS;
  const overdue = new Set<string>();
  let saidMs = 0;
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    const [row] = await query<{ waiting: number }>(
      `select count(*)::integer as waiting from webhook_deliveries where status in ('pending', 'retrying')`,
    );
    if (elapsedMs > boundMs) for (const text of await findOverdueEndpoints(query, boundMs)) overdue.add(text);
    // An endpoint that no worker serves would keep the run waiting.
    if (row?.waiting === 0 || overdue.size > 0 || elapsedMs > DRAIN_MS) {
      return { drainedMs: Math.round(elapsedMs), overdue: [...overdue] };
    }
    if (elapsedMs - saidMs > 5_000) {
      saidMs = elapsedMs;
      say(`${row?.waiting} deliveries wait`);
    }
    await pause(250);
  }
}

/** Waits until none of the jobs is locked as it was when a worker died; returns those that still are at the deadline. */
async function untilUnlocked(query: Query, lockedJobs: ReadonlySet<string>, deadlineMs: number): Promise<string[]> {
  for (;;) {
    const locked = await findLockedJobs(query, lockedJobs);
    if (locked.length === 0 || performance.now() > deadlineMs) return locked;
    await pause(250);
  }
}

async function count(query: Query, receivers: Receivers, load: Load) {
  const rows = await query<{ status: string; n: number }>(
    'select status, count(*)::integer as n from webhook_deliveries group by status order by status',
  );
  const [interrupted] = await query<{ n: number }>(
    `select count(*)::integer as n from webhook_attempts where error = 'interrupted'`,
  );
  return {
    statuses: Object.fromEntries(rows.map(({ status, n }) => [status, n])),
    events: rows.reduce((sum, { n }) => sum + n, 0),
    links: load.confirmed.size,
    arrivals: receivers.arrivals.length,
    interrupted: interrupted?.n ?? 0,
    failedCalls: load.failed,
  };
}

/** Ports for the APIs that survive their restarts: outside the range from which connections get theirs. */
export async function freePorts(count: number, random: Random): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = random.integer(20_000, 32_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
