import { defineEntity, p } from '@mikro-orm/postgresql';
import type { EventType, WebhookAttemptError } from '../../contract/operations-type.ts';
import type { DeliveryStatus } from './transitions.ts';

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    /** The event's id. Each endpoint gets its own event. */
    id: p.string().primary(),
    practiceId: p.string(),
    endpointId: p.string(),
    /** Null for pings and examples. */
    paymentLinkId: p.string().strictNullable(),
    type: p.string().$type<EventType>(),
    test: p.boolean(),
    status: p.string().$type<DeliveryStatus>(),
    /** The exact bytes of the body; loaded on request only. */
    payload: p.text().lazy(),
    runAttempts: p.integer(),
    attemptCount: p.integer(),
    dueAt: p.datetime(3).strictNullable(),
    lastAttemptAt: p.datetime(3).strictNullable(),
    deliveredAt: p.datetime(3).strictNullable(),
    lastResponseStatus: p.integer().strictNullable(),
    lastError: p.string().$type<WebhookAttemptError>().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** The record of getting one event to its endpoint. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);
