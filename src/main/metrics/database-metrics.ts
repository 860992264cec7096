import type { Gauge, Registry } from 'prom-client';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { combineLabels, createMakers, type Labels } from './process-metrics.ts';

/* Metrics of the database, for all practices together. Each worker shows them, so a dashboard takes their maximum. */

/** Most rows that are counted. Counting more would cost more than the figure is worth. */
const MOST_COUNTED = 100_000;

/** A gauge, and the statement that reads its values. */
interface Reading {
  name: string;
  help: string;
  /** Labels with the values that are 0 without a row. A label of null has the values of the rows only. */
  labels: Labels;
  /** Returns `value`, and a column for each label. `$1` is the present; null for the database's clock. */
  text: string;
}

/** The present as SQL. As a subquery it is computed once, so that a condition on it can use an index. */
const PRESENT = '(select coalesce($1::timestamptz, clock_timestamp()))';

const IS_WAITING = `status in ('pending', 'retrying')`;

const IS_OPEN = `status in ('open', 'requires_action')`;

/** Condition on a job that runs or will run. The queue keeps jobs that used up their tries. */
const HAS_TRY = '(attempts < max_attempts or locked_at is not null)';

/** Mode of the endpoint `w` as a label. */
const MODE = `case when w.test then 'test' else 'live' end`;

/** A common table with the first waiting delivery in each rank of each endpoint. The index has this order, so one look finds each. */
const FIRST_WAITING = `with recursive first as (
    (${firstWaitingSql('true')})
    union all
    select next.* from first
    cross join lateral (${firstWaitingSql('(endpoint_id, rank) > (first.endpoint_id, first.rank)')}) as next
  )`;

/** All gauges of the database. Exported for the test of their plans. */
export const READINGS: readonly Reading[] = [
  {
    name: 'paylinks_webhook_oldest_due_seconds',
    help: 'Time for which the oldest due delivery has waited, by mode',
    labels: { mode: ['live', 'test'] },
    text: `${FIRST_WAITING}
      select ${MODE} as mode, greatest(0, extract(epoch from ${PRESENT} - min(due_at)))::float8 as value
      from first join webhook_endpoints w on w.id = first.endpoint_id group by 1`,
  },
  {
    name: 'paylinks_webhook_endpoints_late',
    help: 'Endpoints with a delivery that has been due for five minutes, and to which nobody delivers now, by mode',
    labels: { mode: ['live', 'test'] },
    // An endpoint that answers slowly always has a delivery under way. Its backlog is no fault of ours.
    text: `${FIRST_WAITING}
      select ${MODE} as mode, count(distinct w.id)::float8 as value
      from first join webhook_endpoints w on w.id = first.endpoint_id
      where first.due_at < ${PRESENT} - interval '5 minutes' and coalesce(w.lease_until <= ${PRESENT}, true) group by 1`,
  },
  {
    name: 'paylinks_webhook_deliveries_waiting',
    help: `Deliveries that wait for an attempt, by status and the status of their endpoint; at most ${MOST_COUNTED}`,
    labels: { status: ['pending', 'retrying'], endpoint: ['enabled', 'disabled', 'deleted'] },
    // Endpoints are looked up after counting: once each, and not once per delivery.
    text: `select d.status, case when w.deleted_at is null then w.status else 'deleted' end as endpoint,
        sum(d.deliveries)::float8 as value
      from (
        select endpoint_id, status, count(*) as deliveries from (
          select endpoint_id, status from webhook_deliveries
          where ${IS_WAITING} limit ${MOST_COUNTED}
        ) as waiting group by endpoint_id, status
      ) as d join webhook_endpoints w on w.id = d.endpoint_id group by 1, 2`,
  },
  {
    name: 'paylinks_webhook_endpoints',
    help: 'Endpoints by status',
    labels: { status: ['enabled', 'disabled'] },
    text: 'select status, count(*)::float8 as value from webhook_endpoints where deleted_at is null group by status',
  },
  {
    name: 'paylinks_webhook_leases',
    help: 'Endpoints to which a worker delivers now',
    labels: {},
    text: `select count(*)::float8 as value from webhook_endpoints where lease_until > ${PRESENT}`,
  },
  {
    name: 'paylinks_payment_attempts_open',
    help: `Payment attempts without an outcome, by age; at most ${MOST_COUNTED}`,
    // Usually all are of the youngest class, because attempts close within seconds.
    labels: { age: ['<1m', '1m-1h', '1h-1d', '>=1d'] },
    text: `select age, count(*)::float8 as value from (
        select case when open_for >= interval '1 day' then '>=1d' when open_for >= interval '1 hour' then '1h-1d'
          when open_for >= interval '1 minute' then '1m-1h' else '<1m' end as age from (
          select ${PRESENT} - created_at as open_for from payment_attempts
          where ${IS_OPEN} limit ${MOST_COUNTED}
        ) as open
      ) as classes group by age`,
  },
  {
    name: 'paylinks_payment_attempt_oldest_open_seconds',
    help: 'Age of the oldest payment attempt without an outcome',
    labels: {},
    text: `select coalesce(greatest(0, extract(epoch from ${PRESENT} - min(created_at))), 0)::float8 as value
      from payment_attempts where ${IS_OPEN}`,
  },
  {
    name: 'paylinks_reconciliations_overdue',
    help: `Payment attempts and transactions that the processor should have been asked about; at most ${MOST_COUNTED} each`,
    labels: {},
    text: `select (${countOverdueSql('payment_attempts')} + ${countOverdueSql('transactions')})::float8 as value`,
  },
  jobs('waiting', 'Jobs that are due', `run_at <= ${PRESENT} and ${HAS_TRY}`),
  jobs('failing', 'Jobs that failed and are tried again', `last_error is not null and ${HAS_TRY}`),
  jobs('exhausted', 'Jobs of the last week that failed in their last try', `last_error is not null and not ${HAS_TRY}`),
];

function jobs(state: string, help: string, condition: string): Reading {
  return {
    name: `paylinks_jobs_${state}`,
    help: `${help}, by task; at most ${MOST_COUNTED}`,
    labels: { task: null },
    text: `select task_identifier as task, count(*)::float8 as value from (
        select task_identifier from graphile_worker.jobs where ${condition} limit ${MOST_COUNTED}
      ) as counted group by task_identifier`,
  };
}

/** Returns the first waiting delivery on a condition, in the order of the index of waiting deliveries, as SQL. */
function firstWaitingSql(condition: string): string {
  return `select endpoint_id, rank, due_at from webhook_deliveries where ${IS_WAITING} and ${condition}
    order by endpoint_id, rank, due_at limit 1`;
}

function countOverdueSql(table: 'payment_attempts' | 'transactions'): string {
  return `(select count(*) from (
    select from ${table} where reconcile_at < ${PRESENT} limit ${MOST_COUNTED}) as overdue)`;
}

/**
 * Adds the metrics of the database to the registry. If the database does not answer, they are missing, and
 * `paylinks_database_up` is 0.
 * @returns the function that reads them, at most every ten seconds
 */
export function addDatabaseMetrics(registry: Registry, newScope: () => Scope): () => Promise<void> {
  const make = createMakers(registry);
  const up = make.gauge('paylinks_database_up', '1 if the database answered the last reading');
  const gauges = READINGS.map((reading) => {
    const { name, help, labels } = reading;
    return { reading, gauge: make.gauge(name, help, Object.keys(labels)) };
  });
  const readAll = async (): Promise<void> => {
    const scope = newScope();
    try {
      for (const { gauge, reading } of gauges) await read(scope, gauge, reading);
      up.set(1);
    } catch (err) {
      scope.log.debug({ err }, 'the metrics of the database could not be read');
      for (const { gauge, reading } of gauges) clear(gauge, reading);
      up.set(0);
    }
  };
  let reading: Promise<void> = Promise.resolve();
  let readMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readMs >= 10_000) {
      readMs = performance.now();
      reading = reading.then(readAll);
    }
    return reading;
  };
}

async function read({ em, clock }: Scope, gauge: Gauge, { labels, text }: Reading): Promise<void> {
  const values = text.includes('$1') ? [clock.shared()] : [];
  const rows = await sql<{ value: number; [label: string]: string | number }>(em, text, values);
  clear(gauge, { labels });
  for (const combination of combineLabels(labels)) gauge.set(combination, 0);
  for (const { value, ...combination } of rows) gauge.set(combination, value);
}

/** Removes all values. In a gauge without a label `reset` would leave 0, as if nothing were due. */
function clear(gauge: Gauge, { labels }: Pick<Reading, 'labels'>): void {
  if (Object.keys(labels).length === 0) gauge.remove();
  else gauge.reset();
}
