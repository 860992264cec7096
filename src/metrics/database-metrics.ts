import { Gauge, type Registry } from 'prom-client';
import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';

/* Metrics of the database, for all practices together. Each worker shows them, so a dashboard takes their maximum. */

/** Time for which readings are reused, however often they are asked for. */
const FRESH_MS = 10_000;

/** Rows at which a count of something that waits ends. Counting more would cost more than the figure is worth. */
const MOST_COUNTED = 100_000;

/** A gauge, and the statement that reads its values. */
interface Reading {
  name: string;
  help: string;
  /** Name of the label whose values the statement returns as `label`; null for one value without a label. */
  label: string | null;
  /** Returns `value`, and `label`. `$1` is the present; null for the database's clock. */
  text: string;
}

const PRESENT = 'coalesce($1::timestamptz, clock_timestamp())';

const READINGS: readonly Reading[] = [
  {
    name: 'paylinks_webhook_oldest_due_seconds',
    help: 'Time for which the oldest due delivery has waited',
    label: null,
    text: `select coalesce(greatest(0, extract(epoch from ${PRESENT} - min(due_at))), 0)::float8 as value
      from webhook_deliveries where status in ('pending', 'retrying')`,
  },
  {
    name: 'paylinks_webhook_deliveries_waiting',
    help: `Deliveries that wait for an attempt, by status; at most ${MOST_COUNTED}`,
    label: 'status',
    // A status without deliveries is 0, so that panels and alerts can compare it with the past.
    text: `select label, count(status)::float8 as value
      from unnest(array['pending', 'retrying']) as label left join (
        select status from webhook_deliveries where status in ('pending', 'retrying') limit ${MOST_COUNTED}
      ) as waiting on status = label group by label`,
  },
  {
    name: 'paylinks_webhook_deliveries_outside_partitions',
    help: `Deliveries in the default partition, at most ${MOST_COUNTED}; 0 if deliveries are not partitioned`,
    label: null,
    text: `select coalesce(sum(deliveries), 0)::float8 as value from deliveries_outside_partitions(${MOST_COUNTED})`,
  },
  {
    name: 'paylinks_webhook_endpoints',
    help: 'Endpoints by status',
    label: 'status',
    text: `select label, count(id)::float8 as value
      from unnest(array['enabled', 'disabled']) as label
        left join webhook_endpoints on status = label and deleted_at is null group by label`,
  },
  {
    name: 'paylinks_webhook_leases',
    help: 'Endpoints to which a worker delivers now',
    label: null,
    text: `select count(*)::float8 as value from webhook_endpoints where lease_until > ${PRESENT}`,
  },
  {
    name: 'paylinks_payment_attempts_open',
    help: 'Payment attempts without an outcome',
    label: null,
    text: 'select count(*)::float8 as value from payment_attempts where closed_at is null',
  },
  {
    name: 'paylinks_payment_attempt_oldest_open_seconds',
    help: 'Age of the oldest payment attempt without an outcome',
    label: null,
    text: `select coalesce(greatest(0, extract(epoch from ${PRESENT} - min(created_at))), 0)::float8 as value
      from payment_attempts where closed_at is null`,
  },
  {
    name: 'paylinks_reconciliations_overdue',
    help: 'Payment attempts and transactions that the processor should have been asked about',
    label: null,
    text: `select ((select count(*) from payment_attempts where reconcile_at < ${PRESENT})
      + (select count(*) from transactions where reconcile_at < ${PRESENT}))::float8 as value`,
  },
  {
    name: 'paylinks_archive_walk_age_seconds',
    help: 'Time since the archive began to look at all links. A new walk begins each day. Missing without an archive',
    label: null,
    text: `select greatest(0, extract(epoch from ${PRESENT} - started_at))::float8 as value from archive_walk`,
  },
  {
    name: 'paylinks_jobs_waiting',
    help: `Jobs that are due, by task; at most ${MOST_COUNTED}`,
    label: 'task',
    text: `select task_identifier as label, count(*)::float8 as value from (
        select task_identifier from graphile_worker.jobs where run_at <= ${PRESENT} limit ${MOST_COUNTED}
      ) as waiting group by task_identifier`,
  },
  {
    name: 'paylinks_jobs_failing',
    help: 'Jobs that failed and are tried again, by task',
    label: 'task',
    text: `select task_identifier as label, count(*)::float8 as value from graphile_worker.jobs
      where last_error is not null group by task_identifier`,
  },
];

/**
 * Adds the metrics of the database to the registry. If the database does not answer, they are missing, and
 * `paylinks_database_up` is 0.
 *
 * @returns the function that reads them, at most every ten seconds
 */
export function addDatabaseMetrics(registry: Registry, newScope: () => Scope): () => Promise<void> {
  const registers = [registry];
  const up = new Gauge({
    ...{ name: 'paylinks_database_up', help: '1 if the database answered the last reading', registers },
  });
  const gauges = READINGS.map((reading) => {
    const { name, help, label } = reading;
    return { reading, gauge: new Gauge({ name, help, registers, labelNames: label === null ? [] : [label] }) };
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
    if (performance.now() - readMs >= FRESH_MS) {
      readMs = performance.now();
      reading = reading.then(readAll);
    }
    return reading;
  };
}

async function read({ em, clock }: Scope, gauge: Gauge, { label, text }: Reading): Promise<void> {
  const values = text.includes('$1') ? [clock.shared()] : [];
  const rows = await sql<{ label?: string; value: number }>(em, text, values);
  clear(gauge, { label });
  for (const row of rows) {
    if (label === null || row.label === undefined) gauge.set(row.value);
    else gauge.set({ [label]: row.label }, row.value);
  }
}

/** Removes all values. In a gauge without a label `reset` would leave 0, as if nothing were due. */
function clear(gauge: Gauge, { label }: Pick<Reading, 'label'>): void {
  if (label === null) gauge.remove();
  else gauge.reset();
}
