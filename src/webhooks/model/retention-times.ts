/** Retention of delivered deliveries, from their delivery (openapi.yaml, tag `Webhook deliveries`). */
const DELIVERED_KEPT_MS = 30 * 86_400_000;

/** Retention of all other deliveries, from their event: exhausted, skipped and waiting ones. */
const OTHERS_KEPT_MS = 90 * 86_400_000;

/**
 * Retention of a delivery run that a client asked for, from its last attempt. It applies if the event is older than 90 days,
 * so that the client sees how its redelivery or replay ended.
 */
const REQUESTED_KEPT_MS = 30 * 86_400_000;

/** Times before which the retention of deliveries is over. */
export interface RetentionTimes {
  /** Of delivered ones, by their delivery. */
  deliveredBefore: Date;
  /** Of all others, by their event. */
  createdBefore: Date;
  /** Of all others whose delivery run a client asked for, by its last attempt, in addition. */
  attemptedBefore: Date;
}

/** Returns the times before which the retention of deliveries is over. */
export function retentionTimes(now: Date): RetentionTimes {
  const nowMs = now.getTime();
  return {
    deliveredBefore: new Date(nowMs - DELIVERED_KEPT_MS),
    createdBefore: new Date(nowMs - OTHERS_KEPT_MS),
    attemptedBefore: new Date(nowMs - REQUESTED_KEPT_MS),
  };
}
