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

/**
 * Labels of a metric with their known values, which are 0 from the start, so that panels and alerts can compare them with the
 * past. Null for a label whose values are not known.
 */
export type Labels = Readonly<Record<string, readonly string[] | null>>;

/** Returns each combination of the labels' known values; none if a label has none, or if there is no label. */
export function combineLabels(labels: Labels): Record<string, string>[] {
  const names = Object.entries(labels);
  if (names.length === 0) return [];
  return names.reduce<Record<string, string>[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) => (values ?? []).map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
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
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'paylinks_build_info',
    help: 'Version and commit of the process; always 1',
    registers,
    labelNames: ['version', 'commit', 'component'],
  }).set({ version: VERSION, commit: readCommit(), component }, 1);
  new Gauge({
    name: 'paylinks_pool_connections',
    help: 'Connections of the pool to the database',
    registers,
    labelNames: ['state'],
    async collect() {
      const { totalCount, idleCount, waitingCount } = await poolUse();
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'waited_for' }, waitingCount);
    },
  });
  const make = createMakers(registers);
  if (component === 'api') countRequests(make);
  else countWork(make);
  countShared(make);
  return registry;
}

type Makers = ReturnType<typeof createMakers>;

function createMakers(registers: Registry[]) {
  return {
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
  const durations = histogram('paylinks_request_duration_seconds', 'Requests by operation and status', [
    'operation',
    'method',
    'status',
    'mode',
  ]);
  const help = 'Requests that ended with an error, by its code';
  const refusals = counter('paylinks_requests_refused_total', help, { code: null });
  onReport('request', ({ operationId, method, mode, status, errorCode, seconds }) => {
    durations.observe({ operation: operationId, method, status, mode: mode ?? 'none' }, seconds);
    if (errorCode !== null) refusals.inc({ code: errorCode });
  });
  const notAdmitted = counter('paylinks_admissions_refused_total', 'Requests that were not admitted, by reason', {
    reason: REFUSALS,
  });
  onReport('admission_refused', (refusal) => notAdmitted.inc(refusal));
}

function countWork({ counter, histogram }: Makers): void {
  const attempts = histogram('paylinks_webhook_attempt_duration_seconds', 'Attempts by outcome', ['outcome', 'retry']);
  const results = counter('paylinks_webhook_attempts_recorded_total', 'Attempts by what was recorded', {
    result: null,
  });
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
  const payments = counter('paylinks_payment_status_changes_total', 'Payments that moved to a status, by mode', {
    status: Object.keys(TRANSACTION),
    mode: ['test', 'live'],
  });
  onReport('payment_status', (payment) => payments.inc(payment));
  const closedAttempts = counter('paylinks_payment_attempts_closed_total', 'Payment attempts by outcome', {
    outcome: ['accepted', 'failed', 'cancelled'],
  });
  onReport('payment_attempt_closed', (attempt) => closedAttempts.inc(attempt));
  const calls = histogram('paylinks_processor_call_duration_seconds', 'Calls to the payment processor', [
    'processor',
    'call',
    'outcome',
  ]);
  onReport('processor_call', ({ processor, call, outcome, seconds }) =>
    calls.observe({ processor, call, outcome }, seconds),
  );
}

/** Adds the metrics of the process's readiness to the registry. Each reading asks as `/readyz` does. */
export function addReadinessMetrics(registry: Registry, readiness: Readiness): void {
  const registers = [registry];
  new Gauge({
    name: 'paylinks_not_ready',
    help: '1 for each reason why the process is not ready',
    registers,
    labelNames: ['reason'],
    async collect() {
      const { reasons } = await readiness.report();
      for (const reason of REASONS) this.set({ reason }, reason in reasons ? 1 : 0);
    },
  });
  new Gauge({
    name: 'paylinks_clock_offset_seconds',
    help: 'Time by which the process’s clock is ahead of the clock of the database. Missing without an answer of the database',
    registers,
    async collect() {
      const { clockOffsetSeconds } = await readiness.report();
      if (clockOffsetSeconds === null) this.remove();
      else this.set(clockOffsetSeconds);
    },
  });
  new Gauge({
    name: 'paylinks_secrets_keys_unusable',
    help: 'Keys of stored secrets that SECRETS_KEY lacks, or has with another value',
    registers,
    async collect() {
      this.set((await readiness.report()).unusableKeys.length);
    },
  });
}
