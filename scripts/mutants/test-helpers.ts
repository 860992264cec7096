import type { Mutant } from './mutant.ts';

/** Faults in the test helpers and in what they simulate. */
export const TEST_HELPERS: readonly Mutant[] = [
  {
    name: 'a test helper finds links outside the pin of the key',
    file: 'src/payment-links/link/lock.ts',
    text: 'locationId === null ? {} : { locationId }',
    instead: '{}',
    test: 'test/keys/access-matrix.test.ts',
    title: 'every id that the key may not see',
  },
  {
    name: 'a test link takes any number of refunds',
    file: 'src/payment-links/simulate/after-payment.ts',
    text: 'refunds.length >= MAX_REFUNDS',
    instead: 'refunds.length < 0',
    test: 'test/payment-links/test-helpers.test.ts',
    title: 'a test link has at most 100 refunds',
  },
  {
    name: 'a test helper reverses card payments',
    file: 'src/payment-links/simulate/after-payment.ts',
    text: "transaction.paymentMethodType !== 'us_bank_account'",
    instead: "transaction.paymentMethodType === ''",
    test: 'test/payment-links/test-helpers.test.ts',
    title: 'any other changes nothing',
  },
  {
    name: 'a second dispute of a test link is opened while the first is open',
    file: 'src/payment-links/simulate/after-payment.ts',
    text: '(await openDisputeOf(scope, link)) !== null',
    instead: 'false',
    test: 'test/payment-links/test-helpers.test.ts',
    title: 'disputes that meet open one',
  },
  {
    name: 'the event of a simulated refund looks like one of real money',
    file: 'src/payment-links/refund/refund-decision.ts',
    text: ', ...simulatedContext(link.closedBy)',
    instead: '',
    test: 'test/payment-links/test-helpers.test.ts',
    title: 'with one simulated event each',
  },
  {
    name: 'a failed refund of a test link alarms the operator',
    file: 'src/payment-links/refund/apply-refunds.ts',
    text: 'if (!link.test) scope.log.error(',
    instead: 'scope.log.error(',
    test: 'test/payment-links/test-helpers.test.ts',
    title: 'a refund that fails is listed without an event',
  },
];
