import type { Mutant } from './mutant.ts';

const PAYMENTS = 'test/console/payments.test.ts';
const REFUNDS = 'test/console/refunds.test.ts';
const TOTALS = 'test/console/reconciliation.test.ts';

/** Faults in the console's payments, refunds and totals. */
export const BILLING: readonly Mutant[] = [
  {
    name: 'a person opens payments of any location by their ids',
    file: 'src/payment-links/billing/payment.ts',
    text: '|| (locationIds !== null && !locationIds.includes(link.locationId))',
    instead: '',
    test: PAYMENTS,
    title: 'a person who is limited to locations sees only their payments',
  },
  {
    name: 'the filter of an address shows a location that the person does not see',
    file: 'src/payment-links/model/staff-status.ts',
    text: 'locationIds === null || locationIds.includes(locationId) ? [locationId] : []',
    instead: '[locationId].slice(0, locationIds === null ? 1 : 2)',
    test: PAYMENTS,
    title: 'a person who is limited to locations sees only their payments',
  },
  {
    name: 'totals contain the payments of all locations',
    file: 'src/payment-links/billing/reconciliation.ts',
    text: '[practiceId, test, locationIds, days]',
    instead: '[practiceId, test, locationIds === null ? locationIds : null, days]',
    test: TOTALS,
    title: 'the totals of a person who is limited to locations contain only those',
  },
  {
    name: 'a payment whose fee is not known yet counts as one without a fee',
    file: 'src/payment-links/billing/reconciliation.ts',
    text: "(status in ('succeeded', 'refunded') and fee_cents is null)::integer as unknown_fee",
    instead: '0 as unknown_fee',
    test: 'test/payment-links/payment-totals.test.ts',
    title: 'are their sums by day',
  },
  {
    name: 'a refund form refunds as often as it is sent',
    file: 'src/payment-links/refund/create-refund.ts',
    text: '...(staff === null ? {} : { id: staff.id }),',
    instead: '',
    test: REFUNDS,
    title: 'a refund form that is sent twice',
  },
  {
    name: 'the id of a refund of another payment counts as a repetition',
    file: 'src/payment-links/refund/create-refund.ts',
    text: "throw new RefundRefused('id_taken', 'id', 'Another refund has this id.');",
    instead: 'return { refund: made.recorded, attempt: null };',
    test: REFUNDS,
    title: 'a forged or outdated confirmation refunds nothing',
  },
  {
    name: 'a large refund in parts needs no fresh sign-in',
    file: 'src/console/people/refund-limit.ts',
    text: '(row?.cents ?? 0) + amountCents',
    instead: '(row?.cents ?? 0) * 0 + amountCents',
    test: REFUNDS,
    title: 'refunds of a person above 500 dollars within an hour need a fresh sign-in',
  },
  {
    name: 'refunds that are sent at once are not counted together',
    file: 'src/console/screens/payments/refund.ts',
    text: '  await lockRefundsOf(scope, session);\n',
    instead: '  void lockRefundsOf;\n',
    test: REFUNDS,
    title: 'refunds that one person sends at once, of several payments, pass the limit',
  },
  {
    name: 'people who may only look can export payments',
    file: 'src/console/screens/payments/routes.ts',
    text: "access: 'payments.export',",
    instead: 'access: VIEW,',
    test: TOTALS,
    title: 'a viewer sees payments and totals, but no address of an export',
  },
  {
    name: 'a failed refund stays to act on after its amount was refunded again',
    file: 'src/payment-links/billing/list-to-act-on.ts',
    text: "where n.transaction_id = t.id and n.status <> 'failed')",
    instead: "where n.transaction_id = t.id and n.status = 'none')",
    test: PAYMENTS,
    title: 'the section to act on has open disputes',
  },
];
