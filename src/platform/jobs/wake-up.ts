/** Longest time until the recurring job `enqueue_due_deliveries` finds a delivery: its pause and the queue's poll. */
export const FOUND_AFTER_MS = 3_000;

/** Channel of `NOTIFY` that an endpoint, whose id is the payload, may have something due. */
export const DUE_CHANNEL = 'webhooks_due';

/** Notifies the workers of the `endpoint_id` of its row, once the transaction has committed. */
export const WAKE_UP = `pg_notify('${DUE_CHANNEL}', endpoint_id)`;
