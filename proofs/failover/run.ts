import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createRandom } from '../../test/harness/random.ts';
import { freePorts, serviceEnvironment } from '../../test/harness/service-process.ts';
import { judge } from '../trial/checker.ts';
import { untilDrained } from '../trial/drained.ts';
import { startLoad } from '../trial/load.ts';
import { PAID_TWICE, PAYMENT_RULES, SHOWN_RULE } from '../trial/payments/rules.ts';
import { ProcessGroup } from '../trial/process-group.ts';
import { startReceivers } from '../trial/receivers.ts';
import { createRefundEndpoints, createRefundingPractice, FAST_SETTLEMENT } from '../trial/refunds/setup.ts';
import { createEndpoints, createPractices, queryOn } from '../trial/setup.ts';
import { startProbe, Timeline } from '../trial/timeline.ts';
import type { Cluster } from './cluster.ts';
import { countUnderWay, startPayments, untilPaymentsAgree } from './payments.ts';
import type { Scenario } from './scenarios.ts';

export type RoundReport = Awaited<ReturnType<typeof runRound>>;

export interface RoundOptions {
  cluster: Cluster;
  scenario: Scenario;
  /** Number of the round, from 1 on. It seeds the load, and names the database. */
  round: number;
  folder: string;
  seconds: number;
  linksPerSecond: number;
  say: (text: string) => void;
}

/** A caller repeats once a second, and for longer than any election lasts. */
const RETRY = { everyMs: 1_000, forMs: 180_000 };

/** Receivers share a process with hundreds of callers that repeat, so they need longer than in `make chaos`. */
const WEBHOOK_TIMEOUT_MS = 3_000;

/** Longest wait for a state of the cluster. A killed server reads all its files before it starts. */
const LONGEST_WAIT_MS = 300_000;

/** Time of undisturbed load before the fault. */
const BEFORE_FAULT_MS = 5_000;

/** Time for which payments are slow after the fault began. A leader that runs on could still record them. */
const SLOW_AFTER_FAULT_MS = 2_000;

/** Endpoints of each practice, so that each link has that many deliveries. */
const ENDPOINTS = 3;

const CONFIRMED_RULE = 'Q1 what was confirmed is there';
const EVENTS_RULE = 'Q1 every change has its events';

/** Runs one scenario under load, in a new database. Then waits until nothing is due, and checks what is stored. */
export async function runRound(options: RoundOptions) {
  const { cluster, scenario, round, say } = options;
  const name = `${scenario.name}_${round}`;
  const random = createRandom(round);
  await cluster.untilHealthy(LONGEST_WAIT_MS);
  await queryOn(cluster.url('postgres'))(`create database ${pg.escapeIdentifier(name)}`);
  const url = cluster.url(name);
  await migrate(url, createLogger('silent'));
  const query = queryOn(url);
  const receivers = await startReceivers(random);
  const ports = await freePorts(2, random);
  const probe = await startProbe(cluster.url('postgres'));
  const directory = join(options.folder, name);
  mkdirSync(directory, { recursive: true });
  const env = serviceEnvironment(url, {
    WEBHOOK_TIMEOUT_MS: `${WEBHOOK_TIMEOUT_MS}`,
    // Each patient has an address, because limits of hosted pages count by it.
    TRUST_PROXY_HOPS: '1',
    ...FAST_SETTLEMENT,
  });
  const processes = new ProcessGroup({ env, directory, ports, workers: 2 });
  try {
    const practices = await createPractices(url);
    const practice = await createRefundingPractice(url);
    await processes.untilUp(60_000);
    const secrets = new Map([
      ...(await createEndpoints(ports[0] ?? 0, practices, receivers, ENDPOINTS)),
      ...(await createRefundEndpoints(ports[0] ?? 0, practice, receivers)),
    ]);
    const paying = await startPayments({
      ...{ databaseUrl: url, query, practice, ports, random, retry: RETRY, seconds: options.seconds },
      slowSeconds: (BEFORE_FAULT_MS + SLOW_AFTER_FAULT_MS) / 1_000,
    });
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
    await pause(BEFORE_FAULT_MS);
    let faultMs = 0;
    let faultAt = new Date();
    await scenario.inject(cluster, () => {
      faultMs = performance.now();
      faultAt = new Date();
    });
    say('the fault is over');
    await cluster.untilHealthy(LONGEST_WAIT_MS);
    const endedMs = await loadEnded;
    await probe.stop();
    await paying.done;
    await untilPaymentsAgree(query);
    const { overdue } = await untilDrained(query, say);
    await processes.stop(20_000);
    const { arrivals } = receivers;
    const { results, doubled, stored, violations } = await judge({
      ...{ query, databaseUrl: url, overdue, unexpectedEnds: processes.unexpectedEnds },
      evidence: {
        ...{ arrivals, confirmed: load.confirmed, timeoutMs: WEBHOOK_TIMEOUT_MS, secrets },
        ...{ payments: paying.payments, refunds: paying.refunds },
      },
      wrongAnswers: [...load.wrongAnswers, ...paying.wrongAnswers()],
    });
    const broken = (rule: string) => results.find((result) => result.rule === rule)?.broken.length ?? 0;
    const [gap, databaseGap] = [creates.longestGap(faultMs, endedMs), probe.commits.longestGap(faultMs, endedMs)];
    const report = {
      scenario: scenario.title,
      secondsWithoutCreates: gap.seconds,
      // As a program without the service sees it.
      secondsWithoutDatabase: databaseGap.seconds,
      secondsOf503Before: creates.failingSeconds(faultMs, databaseGap.toMs),
      secondsOf503After: creates.failingSeconds(databaseGap.toMs, Number.POSITIVE_INFINITY),
      confirmed: load.confirmed.size,
      missing: broken(CONFIRMED_RULE),
      eventsLost: broken(EVENTS_RULE),
      // Payments of live links that a patient saw as paid, or as a debit on its way or returned.
      payments: paying.payments.shown.size,
      paymentsUnderWay: await countUnderWay(query, faultAt),
      // Seen by a patient or made at the processor, and not recorded so; or recorded, and not made at the processor.
      paymentsMissing: [SHOWN_RULE, ...PAYMENT_RULES]
        .filter(({ name }) => name !== PAID_TWICE)
        .reduce((sum, { name }) => sum + broken(name), 0),
      paymentsDoubled: broken(PAID_TWICE),
      refunds: [...paying.refunds.asked.values()].filter(({ isConfirmed }) => isConfirmed).length,
      doubled,
      restarts: processes.unexpectedEnds.length,
      storedViolations: stored.length,
      violations,
    };
    // A killed server syncs the files of all databases, so each one left behind would make the next rounds longer.
    if (report.violations.length === 0) {
      await queryOn(cluster.url('postgres'))(`drop database ${pg.escapeIdentifier(name)} with (force)`);
    }
    return report;
  } finally {
    await probe.stop();
    await processes.abandon();
    await receivers.close();
  }
}
