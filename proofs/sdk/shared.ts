import { randomUUID } from 'node:crypto';

// Requests that the scenarios of all TypeScript SDKs share. The file is copied beside the scenario.

const HOUR_MS = 3_600_000;
const reference = `sdk-${randomUUID()}`;
const since = new Date(Date.now() - HOUR_MS).toISOString();

export const linkHeaders = { 'Idempotency-Key': reference };
export const linkBody = {
  amount: 125.5,
  description: 'Cleaning',
  patient: { firstName: 'Ada', lastName: 'Byron' },
  locationId: process.env.PAYLINKS_LOCATION_ID,
  externalReference: reference,
};

export const endpointBody = {
  url: 'https://example.com/webhooks',
  enabledEvents: ['payment_link.paid' as const],
};

/** Every filter of a list of links. The paid link of the scenario alone matches. */
export const linkFilters = {
  status: 'paid' as const,
  externalReference: reference,
  locationId: process.env.PAYLINKS_LOCATION_ID,
  createdBefore: new Date(Date.now() + HOUR_MS).toISOString(),
  ...{ createdAfter: since, paidAfter: since, page: 1, pageSize: 1 },
};

/** Every filter of a list of deliveries. That of the payment alone matches. */
export function deliveryFilters(endpointId: string, paymentLinkId: string) {
  const filters = { endpointId, paymentLinkId, type: 'payment_link.paid', status: 'skipped', since } as const;
  return { ...filters, page: 1, pageSize: 1 };
}

export const futureEvent = JSON.parse(process.env.PAYLINKS_FUTURE_EVENT ?? '');
