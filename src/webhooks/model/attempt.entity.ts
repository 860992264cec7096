import { defineEntity, p } from '@mikro-orm/postgresql';

const WebhookAttemptSchema = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: {
    deliveryId: p.string().primary(),
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    /** Null while under way. */
    durationMs: p.integer().strictNullable(),
    responseStatus: p.integer().strictNullable(),
    error: p.string().strictNullable(),
  },
});

/** One request to a receiver; on record before it is sent. */
export class WebhookAttempt extends WebhookAttemptSchema.class {}
WebhookAttemptSchema.setClass(WebhookAttempt);
