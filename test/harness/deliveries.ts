import { newId } from '../../src/platform/base/ids.ts';
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
  const rows = deliveries.map(({ run = 'automatic', deliveredAt, lastAttemptAt, ...delivery }) => {
    const { status, createdAt } = delivery;
    const event = { id: newId('event', createdAt), object: 'event', type: 'ping', test: true, createdAt, data: {} };
    return {
      ...{ id: event.id, payload: JSON.stringify(event), type: 'ping', test: true, status, delivery_run: run },
      ...{ practice_id: delivery.practiceId, endpoint_id: delivery.endpointId, payment_link_id: null },
      ...{ run_attempts: 0, attempt_count: 0, created_at: createdAt },
      due_at: status === 'pending' ? createdAt : null,
      last_attempt_at: lastAttemptAt ?? null,
      delivered_at: deliveredAt ?? (status === 'delivered' ? createdAt : null),
    };
  });
  const columns = Object.keys(rows[0] ?? { id: '' }).join(', ');
  await service.query(
    `insert into webhook_deliveries (${columns})
     select ${columns} from json_populate_recordset(null::webhook_deliveries, $1)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
