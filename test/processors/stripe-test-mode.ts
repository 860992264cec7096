import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import Stripe from 'stripe';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { createStripe } from '../../src/processors/stripe.ts';
import type { ProcessorFixture } from './processor-fixtures.ts';

/** Stripe's test mode settles debits within two minutes. */
const CHECK_EVERY_MS = 3_000;
const MAX_CHECKS = 60;

/** Stripe's test methods by outcome. */
const METHODS: Readonly<Record<Parameters<ProcessorFixture['token']>[0], string>> = {
  success: 'pm_card_visa',
  declined: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  challenge: 'pm_card_authenticationRequired',
  bankSettles: 'pm_usBankAccount_success',
  bankRefused: 'pm_usBankAccount_accountClosed',
  refundLater: 'pm_card_pendingRefund',
  refundFails: 'pm_card_refundFail',
};

/**
 * Stripe's test mode, where no money moves. Tests do not control its banks and patients, so it supports fewer scenarios.
 *
 * @param secretKey a platform's test key
 * @param accountId a connected account that accepts cards and bank debits; null creates one
 */
export async function stripeTestModeFixture(secretKey: string, accountId: string | null): Promise<ProcessorFixture> {
  if (!/^[rs]k_test_/.test(secretKey))
    throw new Error('STRIPE_TEST_KEY must be a key of Stripe’s test mode, sk_test_…');
  const stripe = new Stripe(secretKey, { maxNetworkRetries: 2, telemetry: false });
  const stripeAccount = accountId ?? (await freshAccount(stripe));
  const processor = createStripe(
    { secretKey, publishableKey: '', webhookSecrets: [], apiBase: null },
    createLogger('silent'),
  );
  const other = await processor.accounts.create({
    id: `prac_${randomUUID()}`,
    name: 'Other',
    adminEmail: 'o@example.com',
  });
  const startedAt = Math.floor(Date.now() / 1000);
  const options = { stripeAccount };
  return {
    processor,
    account: { id: stripeAccount },
    otherAccount: other,
    capabilities: new Set(['settledDebits']),
    async token(kind) {
      const made = await stripe.testHelpers.confirmationTokens.create({ payment_method: METHODS[kind] }, options);
      return made.id;
    },
    // No patient can act on the bank's page.
    finishAction: async () => undefined,
    async finishDebit(reference) {
      for (let check = 0; check < MAX_CHECKS; check++) {
        const { status } = await stripe.paymentIntents.retrieve(reference, {}, options);
        if (status !== 'processing') return;
        await setTimeout(CHECK_EVERY_MS);
      }
      throw new Error('the debit is still under way');
    },
    async payBehindOurBack(reference) {
      for (const payment_method of [METHODS.success, METHODS.bankSettles]) {
        const params = { payment_method, return_url: 'https://pay.example.com' };
        await stripe.paymentIntents.confirm(reference, params, options).catch((error) => {
          if (!(error instanceof Stripe.errors.StripeError)) throw error;
        });
      }
    },
    async refundThere(reference, amount) {
      await stripe.refunds.create({ payment_intent: reference, amount }, options);
    },
    failRefunds: notSupported,
    finishRefunds: notSupported,
    openDispute: notSupported,
    closeDispute: notSupported,
    async charged() {
      const all = stripe.paymentIntents.list({ created: { gte: startedAt }, limit: 100 }, options);
      const intents = await all.autoPagingToArray({ limit: 1_000 });
      return intents.filter(({ status }) => status === 'succeeded' || status === 'processing').length;
    },
    notification: notSupported,
    loseNextAnswer: notSupported,
    close: async () => undefined,
  };
}

async function notSupported(): Promise<never> {
  throw new Error('Stripe’s test mode does not support this scenario; check the capabilities first');
}

/** Creates an account that Stripe verifies at once, with values of its test mode. */
async function freshAccount(stripe: Stripe): Promise<string> {
  const { id } = await stripe.accounts.create({
    country: 'US',
    business_type: 'individual',
    business_profile: { mcc: '8021', url: 'https://example.com', product_description: 'Conformance tests' },
    controller: {
      fees: { payer: 'application' },
      losses: { payments: 'application' },
      requirement_collection: 'application',
      stripe_dashboard: { type: 'none' },
    },
    capabilities: {
      card_payments: { requested: true },
      transfers: { requested: true },
      us_bank_account_ach_payments: { requested: true },
    },
    individual: {
      first_name: 'Jenny',
      last_name: 'Rosen',
      email: 'jenny@example.com',
      phone: '0000000000',
      dob: { day: 1, month: 1, year: 1901 },
      address: { line1: 'address_full_match', city: 'Springfield', state: 'IL', postal_code: '62701', country: 'US' },
      id_number: '000000000',
    },
    external_account: 'btok_us_verified',
    tos_acceptance: { date: Math.floor(Date.now() / 1000), ip: '203.0.113.7' },
  });
  for (let check = 0; check < MAX_CHECKS; check++) {
    const { charges_enabled, capabilities } = await stripe.accounts.retrieve(id);
    if (charges_enabled && capabilities?.us_bank_account_ach_payments === 'active') return id;
    await setTimeout(CHECK_EVERY_MS);
  }
  throw new Error(`the fresh account ${id} can’t take payments; name one that can as STRIPE_TEST_ACCOUNT`);
}
