import { newId } from '../../src/base/ids.ts';
import { query } from './database.ts';
import type { TestService } from './service.ts';

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
    `insert into webhook_attempts
       (delivery_id, practice_id, number, endpoint_id, started_at, duration_ms, response_status, lease_epoch)
     select id, practice_id, number, endpoint_id, created_at, 1, case status when 'delivered' then 200 else 500 end, 1
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
