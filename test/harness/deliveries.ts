import { newId } from '../../src/base/ids.ts';
import type { TestService } from './service.ts';

/** A delivery that a test inserts directly. */
export interface InsertedDelivery {
  practiceId: string;
  endpointId: string;
  createdAt: Date;
  status: 'pending' | 'delivered' | 'exhausted' | 'skipped';
  deliveredAt?: Date | null;
  run?: 'automatic' | 'redelivery' | 'replay';
  lastAttemptAt?: Date | null;
}

/** Inserts deliveries without attempts. Returns their ids, which are of the time of their creation. */
export async function insertDeliveries(
  service: TestService,
  deliveries: readonly InsertedDelivery[],
): Promise<string[]> {
  const rows = deliveries.map(({ run = 'automatic', deliveredAt, lastAttemptAt, ...delivery }) => ({
    ...eventOf(delivery.createdAt),
    practice_id: delivery.practiceId,
    endpoint_id: delivery.endpointId,
    payment_link_id: null,
    type: 'ping',
    test: true,
    status: delivery.status,
    delivery_run: run,
    run_attempts: 0,
    attempt_count: 0,
    due_at: delivery.status === 'pending' ? delivery.createdAt : null,
    last_attempt_at: lastAttemptAt ?? null,
    delivered_at: deliveredAt ?? (delivery.status === 'delivered' ? delivery.createdAt : null),
    created_at: delivery.createdAt,
  }));
  await service.query(
    `insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
       delivery_run, run_attempts, attempt_count, due_at, last_attempt_at, delivered_at, created_at)
     select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
       delivery_run, run_attempts, attempt_count, due_at, last_attempt_at, delivered_at, created_at
     from json_populate_recordset(null::webhook_deliveries, $1)`,
    [JSON.stringify(rows)],
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
