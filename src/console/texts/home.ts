import type { ActReason } from '../../payment-links/billing/list-to-act-on.ts';

export const home = {
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
  toActOn: {
    open_dispute: 'Open disputes',
    returned_debit: 'Debits returned',
    failed_refund: 'Refunds that failed',
  } satisfies Record<ActReason, string>,
};
