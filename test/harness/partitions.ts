import { expect } from 'chai';
import { newId } from '../../src/base/ids.ts';
import { withoutTimeLimits } from '../../src/database/maintenance.ts';
import { KEPT_COUNTS } from '../../src/database/query/kept-counts.ts';
import { DELIVERY_INVARIANTS } from '../../src/webhooks/invariants.ts';
import { partitionDeliveries } from '../../src/webhooks/partitions/convert.ts';
import { maintainPartitions } from '../../src/webhooks/partitions/maintain.ts';
import { query } from './database.ts';
import type { TestService } from './service.ts';

/** Partitions the deliveries of a service's database, as the operator's command does. */
export async function partition(service: TestService): Promise<boolean> {
  const done = await unlimited(service, (scope) => partitionDeliveries(scope));
  await maintain(service);
  return done;
}

/**
 * Runs the worker's job that adds, replaces and drops partitions.
 *
 * @param partitionAboveDeliveries number of deliveries above which it partitions whole tables; null for never
 */
export async function maintain(service: TestService, partitionAboveDeliveries: number | null = null): Promise<void> {
  await maintainPartitions(
    service.scope(),
    { withoutTimeLimits: (work) => unlimited(service, work), partitionAboveDeliveries },
    () => true,
  );
}

/** Runs work as the worker and the command do: on a connection without time limits. */
export function unlimited<T>(
  service: TestService,
  work: (scope: ReturnType<TestService['scope']>) => Promise<T>,
): Promise<T> {
  const scope = service.scope();
  return withoutTimeLimits(service.config.databaseUrl, scope.log, (em) => work({ ...scope, em }));
}

/** A delivery that a test inserts directly, with one attempt per `attempts`. */
export interface InsertedDelivery {
  practiceId: string;
  endpointId: string;
  createdAt: Date;
  status: 'pending' | 'delivered' | 'exhausted' | 'skipped';
  deliveredAt?: Date | null;
  run?: 'automatic' | 'redelivery' | 'replay';
  lastAttemptAt?: Date | null;
  attempts?: number;
}

/** Inserts deliveries with their attempts. Returns their ids, which are of the time of their creation. */
export async function insertDeliveries(
  service: TestService,
  deliveries: readonly InsertedDelivery[],
): Promise<string[]> {
  const rows = deliveries.map(({ attempts = 1, run = 'automatic', deliveredAt, lastAttemptAt, ...delivery }) => ({
    ...eventOf(delivery.createdAt),
    practice_id: delivery.practiceId,
    endpoint_id: delivery.endpointId,
    payment_link_id: null,
    type: 'ping',
    test: true,
    status: delivery.status,
    delivery_run: run,
    run_attempts: attempts,
    attempt_count: attempts,
    due_at: delivery.status === 'pending' ? delivery.createdAt : null,
    last_attempt_at: lastAttemptAt ?? null,
    delivered_at: deliveredAt ?? (delivery.status === 'delivered' ? delivery.createdAt : null),
    created_at: delivery.createdAt,
  }));
  const { databaseUrl } = service.config;
  await query(
    databaseUrl,
    `insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
       delivery_run, run_attempts, attempt_count, due_at, last_attempt_at, delivered_at, created_at)
     select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
       delivery_run, run_attempts, attempt_count, due_at, last_attempt_at, delivered_at, created_at
     from json_populate_recordset(null::webhook_deliveries, $1)`,
    [JSON.stringify(rows)],
  );
  await query(
    databaseUrl,
    `insert into webhook_attempts (delivery_id, number, endpoint_id, started_at, duration_ms, response_status, lease_epoch)
     select id, number, endpoint_id, created_at, 1, case status when 'delivered' then 200 else 500 end, 1
     from webhook_deliveries, generate_series(1, attempt_count) as number where id = any ($1)`,
    [rows.map(({ id }) => id)],
  );
  return rows.map(({ id }) => id);
}

/** Returns a new event with its payload. */
function eventOf(at: Date): { id: string; payload: string } {
  const event = {
    id: newId('event', at),
    object: 'event',
    type: 'ping',
    test: true,
    createdAt: at.toISOString(),
    data: {},
  };
  return { id: event.id, payload: JSON.stringify(event) };
}

/** Returns the ids of the deliveries of each partition that has any. Empty if the tables are whole. */
export async function deliveriesByPartition(service: TestService): Promise<Record<string, string[]>> {
  const rows = await query<{ partition: string; ids: string[] }>(
    service.config.databaseUrl,
    `select replace(tableoid::regclass::text, 'webhook_deliveries_', '') as partition, array_agg(id order by id) as ids
     from webhook_deliveries group by 1`,
  );
  return Object.fromEntries(rows.map(({ partition, ids }) => [partition, ids]));
}

/** Fails unless the kept counts agree with the rows, and each delivery with its attempts. */
export async function expectSound(service: TestService): Promise<void> {
  const findings: unknown[] = [];
  for (const { find } of [
    KEPT_COUNTS,
    ...DELIVERY_INVARIANTS.filter(({ name }) => name === 'deliveries_agree_with_attempts'),
  ]) {
    for await (const finding of find(() => service.scope(), { practiceId: null })) findings.push(finding);
  }
  expect(findings).to.deep.equal([]);
  const [row] = await query<{ stray: number }>(
    service.config.databaseUrl,
    `select count(*)::integer as stray from webhook_attempts a
     where not exists (select from webhook_deliveries d where d.id = a.delivery_id)`,
  );
  expect(row?.stray, 'attempts without a delivery').to.equal(0);
}
