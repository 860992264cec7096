/** Longest time after which the recurring job `enqueue_due_deliveries` finds a delivery that became due: its pause and the queue's poll. */
export const FOUND_AFTER_MS = 3_000;

/** Channel of the database's notifications (`NOTIFY`) that an endpoint may have something due. The payload is its id. */
export const DUE_CHANNEL = 'webhooks_due';

/**
 * SQL expression that notifies the workers of the `endpoint_id` of its row, once the transaction has committed. If its owner does not
 * hear it, the recurring job finds the delivery.
 */
export const WAKE_UP = `pg_notify('${DUE_CHANNEL}', endpoint_id)`;
