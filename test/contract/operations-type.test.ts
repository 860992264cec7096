import { document } from '../../src/contract/document.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import type {
  EventOf,
  Location,
  OperationInput,
  OperationReply,
  Operations,
  PaymentLink,
} from '../../src/contract/operations-type.ts';
import type { LinkEvent } from '../../src/payment-links/state/events.ts';
import type { EventContent } from '../../src/webhooks/events/publish.ts';

/** Nothing runs here: each `@ts-expect-error` is a mistake that the compiler has to report, or this file fails. */
type Handlers = Operations<{ now: Date }>;

const location: Location = Object(valueAt(document, '#/components/examples/Location/value'));
const link: PaymentLink = Object(valueAt(document, '#/components/examples/PaymentLinkActive/value'));

export const complete = {
  getLocation: async (context, { path }) => {
    const when: Date = context.now;
    return { status: 200, body: { ...location, id: path.id, name: when.toISOString() } };
  },
  createPaymentLink: async (_context, { headers, body }) => {
    const reference: string | null | undefined = body.externalReference;
    if (headers['idempotency-key'] === reference) return { status: 201, body: link };
    return { status: 201, rawBody: '{}', headers: { 'Idempotency-Replayed': 'true' } };
  },
  deleteWebhookEndpoint: async () => ({ status: 204 }),
} satisfies Pick<Handlers, 'getLocation' | 'createPaymentLink' | 'deleteWebhookEndpoint'>;

// @ts-expect-error an operation is missing
export const incomplete = { getLocation: async () => ({ status: 200, body: location }) } satisfies Handlers;

// @ts-expect-error a status that is not documented for this operation
export const status: OperationReply<'getLocation'> = { status: 201, body: location };

// @ts-expect-error an error is thrown, not returned
export const refusal: OperationReply<'getLocation'> = { status: 404, body: location };

// @ts-expect-error a field of the wrong type
export const field: OperationReply<'getLocation'> = { status: 200, body: { ...location, name: 1 } };

// @ts-expect-error stored bytes where nothing is replayed
export const bytes: OperationReply<'getLocation'> = { status: 200, rawBody: '{}' };

// @ts-expect-error a body where there is none
export const body: OperationReply<'deleteWebhookEndpoint'> = { status: 204, body: location };

// @ts-expect-error a query parameter that the operation does not have
export const query = (input: OperationInput<'listLocations'>) => input.query.status;

// @ts-expect-error a member that this event's context does not have
export const context = (event: EventOf<'payment_link.refunded'>) => event.data.context.disputeReason;

export const content: EventContent = { type: 'payment_link.paid', data: { paymentLink: link, context: null } };

// @ts-expect-error an event published without the link that its type requires
export const withoutLink: EventContent = { type: 'payment_link.paid', data: { context: null } };

// @ts-expect-error an event published with the context of another type
export const otherContext: EventContent = { type: 'payment_link.refunded', data: { paymentLink: link, context: null } };

// @ts-expect-error a decision with an event whose context belongs to another type
export const otherEvent: LinkEvent = { type: 'payment_link.cancelled', context: { triggeredBy: 'system' } };
