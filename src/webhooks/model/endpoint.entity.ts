import { defineEntity, p } from '@mikro-orm/postgresql';
import type { PaymentLinkEventType } from '../../contract/operations-type.ts';
import type { EndpointStatus } from './transitions.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    test: p.boolean(),
    /** Null means events of all locations. */
    locationId: p.string().strictNullable(),
    url: p.text(),
    /** Empty means every type, future types included. */
    enabledEvents: p.array().$type<PaymentLinkEventType[]>(),
    description: p.text().strictNullable(),
    status: p.string().$type<EndpointStatus>(),
    secretCiphertext: p.text(),
    previousSecretCiphertext: p.text().strictNullable(),
    previousSecretUntil: p.datetime(3).strictNullable(),
    consecutiveExhausted: p.integer(),
    replayedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    /** The person who added the endpoint in the console; null for an API key. */
    createdBy: p.string().strictNullable(),
    /** Time of deletion, else null. The API hides deleted endpoints; the worker purges them with their deliveries. */
    deletedAt: p.datetime(3).strictNullable(),
  },
});

/** An address that receives webhooks. The lease columns are not mapped, because only the worker's statements use them. */
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
