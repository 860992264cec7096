import { defineEntity, p } from '@mikro-orm/postgresql';
import type { EndpointStatus } from './transitions.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    test: p.boolean(),
    /** Null: events of all locations. */
    locationId: p.string().strictNullable(),
    url: p.text(),
    /** Empty: every type, those to come included. */
    enabledEvents: p.array(),
    description: p.text().strictNullable(),
    status: p.string().$type<EndpointStatus>(),
    secretCiphertext: p.text(),
    previousSecretCiphertext: p.text().strictNullable(),
    previousSecretUntil: p.datetime(3).strictNullable(),
    consecutiveExhausted: p.integer(),
    replayedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    /** Set: gone for everybody who reads; the row waits for its deliveries to be purged. */
    deletedAt: p.datetime(3).strictNullable(),
  },
});

/** A receiver of events. Its lease columns belong to the worker's statements and are not mapped. */
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
