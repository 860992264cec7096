import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { REFUSALS } from '../../access/rate-windows.ts';
import { TRANSACTION } from '../../payment-links/model/transitions.ts';
import { ANSWERS } from '../../payment-links/payments/reconcile.ts';
import { onReport } from '../../platform/base/diagnostics.ts';
import { readCommit, VERSION } from '../../platform/base/log/version.ts';
import { REASONS, type Readiness } from '../../platform/database/readiness.ts';

/* Metrics of one process. No label has a practice, patient, key or link: labels have few values. */

export type Component = 'api' | 'worker';

/** Labels with their known values, which are 0 from the start, so that alerts can compare them with the past. Null if not known. */
export type Labels = Readonly<Record<string, readonly string[] | null>>;

/** Returns each combination of the labels' known values; none if a label has none, or if there is no label. */
export function combineLabels(labels: Labels): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    combinations = combinations.flatMap((labels) => (values ?? []).map((value) => ({ ...labels, [name]: value })));
  }
  return Object.keys(labels).length === 0 ? [] : combinations;
}

/** Upper ends of the classes of durations, in seconds. The deadlines of requests are 9.5 and 17 s. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 9.5, 17];

/** Upper ends for ages of events, in seconds: a healthy one is received in milliseconds, one after an outage in hours. */
const AGE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3_600, 21_600];

/** Creates the registry of a process and counts what is reported from now on. */
export function createProcessMetrics(
  component: Component,
  poolUse: () => Promise<Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>,
): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const make = createMakers(registry);
  const buildLabels = ['version', 'commit', 'component'];
  const build = make.gauge('paylinks_build_info', 'Version and commit of the process; always 1', buildLabels);
  build.set({ version: VERSION, commit: readCommit(), component }, 1);
  make.gauge('paylinks_pool_connections', 'Connections of the pool to the database', ['state'], async (gauge) => {
    const { totalCount, idleCount, waitingCount } = await poolUse();
    gauge.set({ state: 'busy' }, totalCount - idleCount);
    gauge.set({ state: 'idle' }, idleCount);
    gauge.set({ state: 'waited_for' }, waitingCount);
  });
  if (component === 'api') countRequests(make);
  else countWork(make);
  countShared(make);
  return registry;
}

type Makers = ReturnType<typeof createMakers>;

export function createMakers(registry: Registry) {
  const registers = [registry];
  return {
    /** @param collect sets the values whenever the metrics are read */
    gauge(name: string, help: string, labelNames: string[] = [], collect?: (gauge: Gauge) => Promise<void>): Gauge {
      return new Gauge({
        name,
        help,
        registers,
        labelNames,
        async collect() {
          await collect?.(this);
        },
      });
    },
    /** Creates a counter. It is 0 for each combination of known values of its labels, so that the first event is an increase. */
    counter(name: string, help: string, labels: Labels): Counter {
      const counter = new Counter({ name, help, registers, labelNames: Object.keys(labels) });
      for (const combination of combineLabels(labels)) counter.inc(combination, 0);
      return counter;
    },
    /** Creates a histogram, of durations unless it gets other classes. */
    histogram(name: string, help: string, labelNames: string[], buckets = REQUEST_SECONDS): Histogram {
      return new Histogram({ name, help, registers, labelNames, buckets });
    },
  };
}

function countRequests({ counter, histogram }: Makers): void {
  const labels = ['operation', 'method', 'status', 'mode'];
  const durations = histogram('paylinks_request_duration_seconds', 'Requests by operation and status', labels);
  const help = 'Requests that ended with an error, by its code';
  const refusals = counter('paylinks_requests_refused_total', help, { code: null });
  onReport('request', ({ operationId, method, mode, status, errorCode, seconds }) => {
    durations.observe({ operation: operationId, method, status, mode: mode ?? 'none' }, seconds);
    if (errorCode !== null) refusals.inc({ code: errorCode });
  });
  const reasons = { reason: REFUSALS };
  const notAdmitted = counter('paylinks_admissions_refused_total', 'Requests not admitted, by reason', reasons);
  onReport('admission_refused', (refusal) => notAdmitted.inc(refusal));
}

function countWork({ counter, histogram }: Makers): void {
  const attempts = histogram('paylinks_webhook_attempt_duration_seconds', 'Attempts by outcome', ['outcome', 'retry']);
  const labels = { result: null };
  const results = counter('paylinks_webhook_attempts_recorded_total', 'Attempts by what was recorded', labels);
  const age = 'Time from an event to its receipt';
  const ages = histogram('paylinks_webhook_delivery_age_seconds', age, [], AGE_SECONDS);
  onReport('webhook_attempt', ({ outcome, result, isRetry, seconds, ageSeconds }) => {
    results.inc({ result });
    // Another worker has recorded and reported the outcome of this attempt.
    if (result === 'stale') return;
    attempts.observe({ outcome, retry: String(isRetry) }, seconds);
    if (ageSeconds !== null) ages.observe(ageSeconds);
  });
  const help = 'Findings of questions to the payment processor, by what was asked about';
  const answers = counter('paylinks_reconciliation_findings_total', help, { subject: null, finding: null });
  for (const [subject, kinds] of Object.entries(ANSWERS)) {
    for (const answer of kinds) answers.inc({ subject, finding: answer }, 0);
  }
  onReport('reconciliation', ({ subject, answer }) => answers.inc({ subject, finding: answer }));
  const jobs = counter('paylinks_jobs_ended_total', 'Jobs by task and outcome', { task: null, outcome: null });
  onReport('job', (job) => jobs.inc({ ...job }));
}

function countShared({ counter, histogram }: Makers): void {
  const spans = counter('paylinks_trace_spans_dropped_total', 'Spans of traces that were lost', { reason: null });
  onReport('spans_dropped', ({ reason, count }) => spans.inc({ reason }, count));
  const lines = counter('paylinks_log_lines_dropped_total', 'Lines of the log that were lost', {});
  onReport('log_lines_dropped', ({ count }) => lines.inc(count));
  const types = { type: null };
  const published = counter('paylinks_events_published_total', 'Events by type, subscribed to or not', types);
  const queued = counter('paylinks_webhook_deliveries_queued_total', 'Deliveries of new events by type', types);
  onReport('event', ({ type, deliveries }) => {
    published.inc({ type });
    queued.inc({ type }, deliveries);
  });
  const statuses = { status: Object.keys(TRANSACTION), mode: ['test', 'live'] };
  const payments = counter('paylinks_payment_status_changes_total', 'Payments that moved to a status', statuses);
  onReport('payment_status', (payment) => payments.inc(payment));
  const outcomes = { outcome: ['accepted', 'failed', 'cancelled'] };
  const closedAttempts = counter('paylinks_payment_attempts_closed_total', 'Payment attempts by outcome', outcomes);
  onReport('payment_attempt_closed', (attempt) => closedAttempts.inc(attempt));
  const callLabels = ['processor', 'call', 'outcome'];
  const calls = histogram('paylinks_processor_call_duration_seconds', 'Calls to the payment processor', callLabels);
  onReport('processor_call', ({ processor, call, outcome, seconds }) =>
    calls.observe({ processor, call, outcome }, seconds),
  );
}

/** Adds the metrics of the process's readiness to the registry. Each reading asks as `/readyz` does. */
export function addReadinessMetrics(registry: Registry, readiness: Readiness): void {
  const { gauge } = createMakers(registry);
  gauge('paylinks_not_ready', '1 for each reason why the process is not ready', ['reason'], async (notReady) => {
    const { reasons } = await readiness.report();
    for (const reason of REASONS) notReady.set({ reason }, reason in reasons ? 1 : 0);
  });
  const offsetHelp =
    'Time by which the process’s clock is ahead of the clock of the database. Missing without an answer of the database';
  gauge('paylinks_clock_offset_seconds', offsetHelp, [], async (offset) => {
    const { clockOffsetSeconds } = await readiness.report();
    if (clockOffsetSeconds === null) offset.remove();
    else offset.set(clockOffsetSeconds);
  });
  const keysHelp = 'Keys of stored secrets that SECRETS_KEY lacks, or has with another value';
  gauge('paylinks_secrets_keys_unusable', keysHelp, [], async (keys) => {
    keys.set((await readiness.report()).unusableKeys.length);
  });
}
