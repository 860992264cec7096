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
  },
});

/** One HTTP request of a delivery. It is recorded before it is sent. */
export class WebhookAttempt extends WebhookAttemptSchema.class {}
WebhookAttemptSchema.setClass(WebhookAttempt);
