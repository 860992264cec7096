import type { MethodType } from '../../processors/processor.ts';
import type { Texts } from '../texts/texts.ts';

/** Token of a test card or test account. It decides the outcome of the payment. */
export type TestMethod = keyof Texts['testMethods'];

/**
 * Test methods that the page of the sandbox offers instead of fields for numbers, the simplest first. The sandbox knows
 * more methods, with which tests cause faults. A page that anybody can open does not offer them.
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
