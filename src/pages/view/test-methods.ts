import type { MethodType } from '../../processors/processor.ts';
import type { Texts } from '../texts/en.ts';

/** A way to pay in the sandbox, by the token that says how the payment turns out. */
export type TestMethod = keyof Texts['testMethods'];

/**
 * What the sandbox's page offers in place of numbers to type, the plainest first. The sandbox knows further methods, by
 * which tests bring about mishaps; those are not for a page that anybody can open.
 */
export const TEST_METHODS: Readonly<Record<MethodType, readonly TestMethod[]>> = {
  card: [
    'card_success',
    'card_declined',
    'card_insufficient_funds',
    'card_challenge',
    'card_refund_later',
    'card_refund_fails',
  ],
  us_bank_account: ['bank_settles', 'bank_returns'],
};
