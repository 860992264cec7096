import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../../test/harness/random.ts';
import { freePorts, serviceEnvironment } from '../../test/harness/service-process.ts';
import { judge } from '../trial/checker.ts';
import { LEASE_MS, TIMEOUT_MS, untilDrained } from '../trial/drained.ts';
import type { Query } from '../trial/evidence.ts';
import { type Installation, startInstallation } from '../trial/installation.ts';
import { startLoad } from '../trial/load.ts';
import { ProcessGroup } from '../trial/process-group.ts';
import { loseNotifications, slowDownRefunds } from '../trial/refunds/at-sandbox.ts';
import { type RefundLoad, startRefundLoad } from '../trial/refunds/load.ts';
import { countRefunds, untilReconciled } from '../trial/refunds/reconcile.ts';
import {
  createPaidLinks,
  createRefundEndpoints,
  createRefundingPractice,
  FAST_SETTLEMENT,
  type RefundingPractice,
} from '../trial/refunds/setup.ts';
import { createEndpoints, createPractices } from '../trial/setup.ts';
import { carryOut, endWorkers, type FaultPlan, findLockedJobs, planFaults } from './faults.ts';

export interface RunOptions {
  seed: number;
  /** Duration of load and faults. */
  seconds: number;
  linksPerSecond: number;
  /** Paid links per second that are refunded or disputed, and as many test links. */
  refundsPerSecond: number;
  workers: number;
  serves: number;
  say: (text: string) => void;
  /** In place of the plan that the seed makes. */
  plan?: FaultPlan[];
  /** True if writes must reach the disk, as in production. Crashes of processes alone do not need it. */
  durable: boolean;
  /** For mutants: what Node is started with. */
  nodeArguments?: string[];
  env?: NodeJS.ProcessEnv;
}

/** Result of a run. `violations` has everything that broke a rule; it is empty when the run passed. */
export type RunReport = Awaited<ReturnType<typeof runFaults>>;

/** Time in which the jobs of a killed worker must be unlocked. */
const UNLOCKED_MS = 60_000;

/** Generators of their own, so that the plan of faults depends on the seed alone, not on who asks first. */
const [RECEIVERS, PORTS, LOAD, REFUNDS] = [1_000_000, 2_000_000, 3_000_000, 4_000_000];

/**
 * One run: load and faults, then calm, then the examination. Leaves nothing running, and no files but the logs of a run
 * that failed.
 */
export async function runChaos(options: RunOptions) {
  const { seed, durable, serves, workers, nodeArguments } = options;
  const folder = { name: `paylinks-chaos-${seed}` };
  const installation = await startInstallation({ folder, durable, random: createRandom(seed + RECEIVERS) });
  const { directory, postgres } = installation;
  const ports = await freePorts(serves, createRandom(seed + PORTS));
  const env = serviceEnvironment(postgres.url, { ...FAST_SETTLEMENT, ...options.env });
  const processes = new ProcessGroup({ env, directory, ports, workers, nodeArguments });
  let isClean = false;
  try {
    const report = await runFaults({ ...installation, processes }, ports, options, createRandom(seed));
    isClean = report.violations.length === 0;
    return report;
  } finally {
    await processes.abandon();
    await installation.close({ keepsLogs: !isClean });
  }
}

interface Stage extends Installation {
  processes: ProcessGroup;
}

async function runFaults(stage: Stage, ports: number[], options: RunOptions, random: Random) {
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
  const { arrivals } = receivers;
  const { confirmed } = load;
  const { lost, doubled, violations } = await judge({
    ...{ query, databaseUrl: stage.postgres.url, overdue, unexpectedEnds: processes.unexpectedEnds },
    evidence: { arrivals, confirmed, timeoutMs: TIMEOUT_MS, secrets, refunds: refundLoad.evidence },
    wrongAnswers: [...load.wrongAnswers, ...refundLoad.wrongAnswers],
  });
  return {
    ...{ seed: options.seed, faults, links: confirmed.size, ...(await countEvents(query)), lost, doubled },
    // Counted after the last fault, before the workers ask the processor.
    refunds,
    // From the last fault until nothing waited.
    drainedMs,
    violations: [
      ...stillLocked.map((text) => `Q7 locked by a dead worker for more than a minute: job ${text}`),
      ...violations,
    ],
    // Of the logs, which are kept after a violation.
    directory: stage.directory,
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

/** Waits until none of the jobs is locked as it was when a worker died; returns those that still are at the deadline. */
async function untilUnlocked(query: Query, lockedJobs: ReadonlySet<string>, deadlineMs: number): Promise<string[]> {
  for (;;) {
    const locked = await findLockedJobs(query, lockedJobs);
    if (locked.length === 0 || performance.now() > deadlineMs) return locked;
    await pause(250);
  }
}

async function countEvents(query: Query) {
  const rows = await query<{ status: string; n: number }>(
    'select status, count(*)::integer as n from webhook_deliveries group by status order by status',
  );
  const [interrupted] = await query<{ n: number }>(
    `select count(*)::integer as n from webhook_attempts where error = 'interrupted'`,
  );
  return {
    statuses: Object.fromEntries(rows.map(({ status, n }): [string, number] => [status, n])),
    events: rows.reduce((sum, { n }) => sum + n, 0),
    // Attempts whose worker died.
    interrupted: interrupted?.n ?? 0,
  };
}
