import type { Page } from '../compared-pages.ts';

/** Returns the pages about deliveries that people of a practice open. */
export function pagesOf(endpointId: string, deliveryIds: readonly string[]): Page[] {
  const list = (name: string, query: Record<string, string>): Page => ({
    ...{ name: `deliveries, ${name}`, has: '/live/deliveries/evt_' },
    paths: [`/live/deliveries?${new URLSearchParams(query)}`],
  });
  return [
    { name: 'home', paths: [''], has: '/live/deliveries?' },
    list('first page', {}),
    list('page 100', { page: '100' }),
    ...['delivered', 'exhausted', 'pending'].map((status) => list(`status=${status}`, { status })),
    list('endpoint', { endpointId }),
    list('endpoint, status=exhausted, type=payment_link.expired', {
      ...{ endpointId, status: 'exhausted', type: 'payment_link.expired' },
    }),
    {
      ...{ name: 'one delivery', has: 'Cleaning and two fillings' },
      paths: deliveryIds.map((id) => `/live/deliveries/${id}`),
    },
    { name: 'developers', paths: ['/live/developers'], has: endpointId },
    { name: 'endpoint', paths: [`/live/developers/webhooks/${endpointId}`], has: endpointId },
  ];
}
