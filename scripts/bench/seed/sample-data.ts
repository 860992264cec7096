/** Sample bodies of requests and events: of ordinary size, with no real person. */

import type { PaymentLink } from '../../../src/contract/operations-type.ts';

/** The body of a create request, about 400 bytes. */
export function createBody(locationId: string): string {
  return JSON.stringify({
    amount: 125.5,
    description: 'Cleaning and two fillings, March 3',
    externalReference: 'visit-2026-03-03-0815',
    metadata: { visit: '815', clerk: 'front desk', ledger: 'A-2026-03' },
    locationId,
    patient: {
      firstName: 'Ada',
      lastName: 'Byron',
      phone: '+14155550123',
      email: 'ada.byron@example.org',
      externalId: 'chart-104729',
    },
  });
}

const LINK: PaymentLink = {
  id: 'plink_01kb3v5qk2f3e9d8c7b6a5g4h3',
  object: 'payment_link',
  url: 'http://localhost/pay/0123456789abcdef0123456789abcdef',
  status: 'paid',
  test: false,
  amount: 125.5,
  currency: 'usd',
  description: 'Cleaning and two fillings, March 3',
  externalReference: 'visit-2026-03-03-0815',
  metadata: { visit: '815', clerk: 'front desk', ledger: 'A-2026-03' },
  patient: {
    firstName: 'Ada',
    lastName: 'Byron',
    phone: '+14155550123',
    email: 'ada.byron@example.org',
    externalId: 'chart-104729',
  },
  location: { id: 'loc_01kb3v5qk2f3e9d8c7b6a5g4h3', name: 'Downtown' },
  source: 'api',
  expiresAt: '2026-04-02T08:15:00.000Z',
  paidAt: '2026-03-03T09:15:00.000Z',
  createdAt: '2026-03-03T08:15:00.000Z',
  transaction: {
    ...{ status: 'succeeded', amount: 125.5, fee: 3.94, net: 121.56, paymentMethodType: 'card' },
    ...{ paymentMethodBrand: 'visa', paymentMethodLast4: '4242', receiptUrl: null },
    processedAt: '2026-03-03T09:15:00.000Z',
  },
  refunds: [],
};

/** An event's data. */
export const EVENT_DATA = { paymentLink: LINK, context: null };
