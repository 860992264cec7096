import type { ActReason } from '../../payment-links/billing/list-to-act-on.ts';

export const home = {
  title: 'Overview',
  developers: 'Keys and webhooks',
  spans: {
    today: 'Today',
    week: 'This week',
    month: 'This month',
  },
  formerSpans: {
    today: 'Yesterday',
    week: 'Same days last week',
    month: 'Same days last month',
  },
  outstanding: 'Outstanding',
  owed: 'Owed now',
  expiring: 'Expires within 7 days',
  processing: 'Bank debits under way',
  links: (count: string) => `Links: ${count}`,
  payments: (count: string) => `Payments: ${count}`,
  toActOn: {
    open_dispute: 'Open disputes',
    returned_debit: 'Debits returned',
    failed_refund: 'Refunds that failed',
  } satisfies Record<ActReason, string>,
  listedFor: 'In the last 60 days',
  chart: 'The last 30 days',
  table: 'The same figures in a table',
  weeks: 'Weeks begin on Monday.',
};
