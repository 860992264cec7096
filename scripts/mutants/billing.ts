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
    test: TOTALS,
    title: 'whatever the address asks for',
  },
  {
    name: 'totals contain the payments of all locations',
    file: 'src/payment-links/billing/reconciliation.ts',
    text: '[practiceId, test, locationIds, days, areHours]',
    instead: '[practiceId, test, locationIds === null ? locationIds : null, days, areHours]',
    test: TOTALS,
    title: 'the totals of a person who is limited to locations contain only those',
  },
  {
    name: 'the totals of payments forget what a payment was before a change',
    file: 'src/database/functions/payment-totals/append-payment-total.sql',
    text: "if tg_op <> 'INSERT' then",
    instead: "if tg_op = 'DELETE' then",
    test: 'test/payment-links/payment-totals.test.ts',
    title: 'are those of the payments one by one',
  },
  {
    name: 'the totals of older payments contain changes twice that are not added yet',
    file: 'src/database/functions/payment-totals/check-payment-hours.sql',
    text: '-c.payments,',
    instead: '0,',
    test: 'test/payment-links/payment-totals.test.ts',
    title: 'the check finds totals that',
  },
  {
    name: 'the totals of payments are read one by one',
    file: 'src/payment-links/read/payment-totals.ts',
    text: "'not exists (select from uncounted_payment_totals where practice_id = $1)'",
    instead: "'$1::text is null'",
    test: 'test/payment-links/payment-totals.test.ts',
    title: 'read as many rows',
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
    file: 'src/console/screens/payments/refund.ts',
    text: 'isLarge(refundedCents + draft.amountCents)',
    instead: 'isLarge(Math.min(refundedCents, 0) + draft.amountCents)',
    test: REFUNDS,
    title: 'a refund that makes 500 dollars of a payment needs a sign-in',
  },
  {
    name: 'refunds that are sent at once are not counted together',
    file: 'src/console/screens/payments/refund.ts',
    text: 'if (isLarge(refundedCents) && ',
    instead: 'if (isLarge(Math.min(refundedCents, 0)) && ',
    test: REFUNDS,
    title: 'refunds that are sent at once pass the limit of an old sign-in no further than refunds one by one',
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
