import { defineEntity, p } from '@mikro-orm/postgresql';
import type { WebhookAttemptError } from '../../contract/operations-type.ts';

const WebhookAttemptSchema = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: {
    deliveryId: p.string().primary(),
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    /** Null while the attempt is under way. */
    durationMs: p.integer().strictNullable(),
    responseStatus: p.integer().strictNullable(),
    error: p.string().$type<WebhookAttemptError>().strictNullable(),
    /** The wait that a 429 or 503 asked for; null if it asked for none. */
    retryAfterSeconds: p.integer().strictNullable(),
  },
});

/** One HTTP request of a delivery. It is recorded before it is sent. */
export class WebhookAttempt extends WebhookAttemptSchema.class {}
WebhookAttemptSchema.setClass(WebhookAttempt);

/** SQL: the end of the wait that the receiver asked for in its answer to the attempt `a`; null if it did not. */
export const ASKED_TO_WAIT_UNTIL =
  'a.started_at + make_interval(secs => a.duration_ms / 1000.0 + a.retry_after_seconds)';
