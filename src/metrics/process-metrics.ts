import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { onReport } from '../base/diagnostics.ts';
import { REFUSALS } from '../limits/rate-windows.ts';
import { TRANSACTION } from '../payment-links/model/transitions.ts';
import { ANSWERS } from '../payment-links/reconcile/answers.ts';

/* Metrics of one process. No label has a practice, patient, key or link: labels have few values. */

/** Kind of a process. */
export type Component = 'api' | 'worker';

/** Version and commit of the code. */
export interface Build {
  version: string;
  commit: string;
}

/** Connections of the process's pool. */
export interface PoolUse {
  /** Connections, idle ones included. */
  total: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/** Upper ends of the classes of durations, in seconds. The deadlines of requests are 9.5 and 17 s. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 9.5, 17];

/** Upper ends for ages of events, in seconds: a healthy one is received in milliseconds, one after an outage in hours. */
const AGE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3_600, 21_600];

/** Creates the registry of a process and counts what is reported from now on. */
export function createProcessMetrics(component: Component, build: Build, poolUse: () => Promise<PoolUse>): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    ...{ name: 'paylinks_build_info', help: 'Version and commit of the process; always 1', registers },
    labelNames: ['version', 'commit', 'component'],
  }).set({ ...build, component }, 1);
  new Gauge({
    ...{ name: 'paylinks_pool_connections', help: 'Connections of the pool to the database', registers },
    labelNames: ['state'],
    async collect() {
      const { total, idle, waiting } = await poolUse();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waited_for' }, waiting);
    },
  });
  if (component === 'api') countRequests(registers);
  else countWork(registers);
  countShared(registers);
  return registry;
}

function countRequests(registers: Registry[]): void {
  const durations = new Histogram({
    ...{ name: 'paylinks_request_duration_seconds', help: 'Requests by operation and status', registers },
    ...{ labelNames: ['operation', 'method', 'status', 'mode'], buckets: REQUEST_SECONDS },
  });
  const refusals = new Counter({
    ...{ name: 'paylinks_requests_refused_total', help: 'Requests that ended with an error, by its code', registers },
    labelNames: ['code'],
  });
  onReport('request', ({ operationId, method, mode, status, errorCode, seconds }) => {
    durations.observe({ operation: operationId, method, status, mode: mode ?? 'none' }, seconds);
    if (errorCode !== null) refusals.inc({ code: errorCode });
  });
  const notAdmitted = new Counter({
    ...{ name: 'paylinks_admissions_refused_total', help: 'Requests that were not admitted, by reason', registers },
    labelNames: ['reason'],
  });
  for (const reason of REFUSALS) notAdmitted.inc({ reason }, 0);
  onReport('admission_refused', (refusal) => notAdmitted.inc(refusal));
}

/** Counts what only workers do. */
function countWork(registers: Registry[]): void {
  const attempts = new Histogram({
    ...{ name: 'paylinks_webhook_attempt_duration_seconds', help: 'Attempts by outcome', registers },
    ...{ labelNames: ['outcome', 'retry'], buckets: REQUEST_SECONDS },
  });
  const results = new Counter({
    ...{ name: 'paylinks_webhook_attempts_recorded_total', help: 'Attempts by what was recorded', registers },
    labelNames: ['result'],
  });
  const ages = new Histogram({
    ...{ name: 'paylinks_webhook_delivery_age_seconds', help: 'Time from an event to its receipt', registers },
    buckets: AGE_SECONDS,
  });
  onReport('webhook_attempt', ({ outcome, result, isRetry, seconds, ageSeconds }) => {
    results.inc({ result });
    // Another worker has recorded and reported the outcome of this attempt.
    if (result === 'stale') return;
    attempts.observe({ outcome, retry: String(isRetry) }, seconds);
    if (ageSeconds !== null) ages.observe(ageSeconds);
  });
  const answers = new Counter({
    ...{
      name: 'paylinks_reconciliation_findings_total',
      help: 'Findings of questions to the payment processor, by what was asked about',
      registers,
    },
    labelNames: ['subject', 'finding'],
  });
  for (const [subject, all] of Object.entries(ANSWERS)) {
    for (const answer of all) answers.inc({ subject, finding: answer }, 0);
  }
  onReport('reconciliation', ({ subject, answer }) => answers.inc({ subject, finding: answer }));
  const jobs = new Counter({
    ...{ name: 'paylinks_jobs_ended_total', help: 'Jobs by task and outcome', registers },
    labelNames: ['task', 'outcome'],
  });
  onReport('job', (job) => jobs.inc({ ...job }));
}

/** Counts what both kinds of processes do. */
function countShared(registers: Registry[]): void {
  const spans = new Counter({
    ...{ name: 'paylinks_trace_spans_dropped_total', help: 'Spans of traces that were lost', registers },
    labelNames: ['reason'],
  });
  onReport('spans_dropped', ({ reason, count }) => spans.inc({ reason }, count));
  const published = new Counter({
    ...{ name: 'paylinks_events_published_total', help: 'Events by type, subscribed to or not', registers },
    labelNames: ['type'],
  });
  const queued = new Counter({
    ...{ name: 'paylinks_webhook_deliveries_queued_total', help: 'Deliveries of new events by type', registers },
    labelNames: ['type'],
  });
  onReport('event', ({ type, deliveries }) => {
    published.inc({ type });
    queued.inc({ type }, deliveries);
  });
  countPayments(registers);
  const calls = new Histogram({
    ...{ name: 'paylinks_processor_call_duration_seconds', help: 'Calls to the payment processor', registers },
    ...{ labelNames: ['processor', 'call', 'outcome'], buckets: REQUEST_SECONDS },
  });
  onReport('processor_call', ({ processor, call, outcome, seconds }) =>
    calls.observe({ processor, call, outcome }, seconds),
  );
}

/** Counts payments. Statuses without a payment are 0, so that the first one is an increase. */
function countPayments(registers: Registry[]): void {
  const payments = new Counter({
    ...{
      name: 'paylinks_payment_status_changes_total',
      help: 'Payments that moved to a status, by mode',
      registers,
    },
    labelNames: ['status', 'mode'],
  });
  for (const status of Object.keys(TRANSACTION)) {
    for (const mode of ['test', 'live']) payments.inc({ status, mode }, 0);
  }
  onReport('payment_status', (payment) => payments.inc(payment));
  const attempts = new Counter({
    ...{ name: 'paylinks_payment_attempts_closed_total', help: 'Payment attempts by outcome', registers },
    labelNames: ['outcome'],
  });
  for (const outcome of ['accepted', 'failed', 'cancelled']) attempts.inc({ outcome }, 0);
  onReport('payment_attempt_closed', (attempt) => attempts.inc(attempt));
}
