import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type Stripe from 'stripe';
import { DISPUTE_REASONS } from '../../src/console/screens/payments/disputes.ts';
import { declineWords } from '../../src/patient-pages/texts/declines.ts';
import { TEXTS } from '../../src/patient-pages/texts/texts.ts';
import { findDecline } from '../../src/processors/decline-codes.ts';
import { BANK_RETURN_REASONS, SANDBOX_METHODS, sandboxMethod } from '../../src/processors/sandbox-methods.ts';
import { paymentSnapshot } from '../../src/processors/stripe-snapshots.ts';
import { LANGUAGES } from '../../src/web/language.ts';
import { checkout } from '../harness/processes.ts';

/** Codes that a patient must not see. Stripe asks to present them as a plain decline. */
const MAY_MEAN_FRAUD = [
  ...['fraudulent', 'lost_card', 'stolen_card', 'merchant_blacklist', 'pickup_card', 'restricted_card'],
  ...['security_violation', 'highest_risk_level'],
];

/** Decline codes that Stripe publishes (docs.stripe.com/declines/codes), also those for card readers. */
const STRIPE_DECLINE_CODES = `
  approve_with_id authentication_not_handled authentication_required call_issuer card_not_supported
  card_velocity_exceeded currency_not_supported do_not_honor do_not_try_again duplicate_transaction expired_card
  fraudulent generic_decline highest_risk_level incorrect_address incorrect_cvc incorrect_number incorrect_pin
  incorrect_zip insufficient_funds invalid_account invalid_amount invalid_cvc invalid_expiry_month
  invalid_expiry_year invalid_number invalid_pin issuer_not_available lost_card merchant_blacklist
  mobile_device_authentication_required new_account_information_available no_action_taken not_permitted
  offline_pin_required online_or_offline_pin_required pickup_card pin_try_exceeded
  previously_declined_do_not_retry processing_error reenter_transaction restricted_card
  revocation_of_all_authorizations revocation_of_authorization security_violation service_not_allowed
  stolen_card stop_payment_order testmode_decline transaction_not_allowed try_again_later
  withdrawal_count_limit_exceeded`;

/** Error codes with which Stripe fails payments by card and US bank account (docs.stripe.com/error-codes), beside decline codes. */
const STRIPE_ERROR_CODES = `
  account_closed account_frozen account_number_invalid amount_too_large authentication_failure
  bank_account_bad_routing_numbers bank_account_declined bank_account_restricted bank_account_unusable
  bank_account_unverified bank_account_verification_failed bank_ownership_changed card_decline_rate_limit_exceeded
  card_declined charge_exceeds_transaction_limit could_not_process debit_not_authorized expired_payment_method
  incorrect_account_details incorrect_account_holder_address incorrect_account_holder_name
  incorrect_account_holder_tax_id incorrect_postal_code invalid_account_number invalid_card_type no_account
  payment_intent_authentication_failure payment_intent_payment_attempt_expired payment_intent_payment_attempt_failed
  payment_method_bank_account_blocked payment_method_customer_decline payment_method_not_available
  payment_method_provider_decline payment_method_provider_timeout payment_method_restricted postal_code_invalid
  refer_to_customer routing_number_invalid`;

/** Codes of this service: without a code of the processor, and for a payment that the processor did not begin. */
const OWN_CODES = ['declined', 'cancelled', 'not_accepted'];

const SANDBOX_CODES = [
  ...Object.values(SANDBOX_METHODS).flatMap(({ failureReason }) => failureReason ?? []),
  ...[sandboxMethod('', 'card').failureReason ?? '', ...BANK_RETURN_REASONS],
];

const CODES = [...`${STRIPE_DECLINE_CODES} ${STRIPE_ERROR_CODES}`.trim().split(/\s+/), ...SANDBOX_CODES, ...OWN_CODES];

describe('reasons of declines', () => {
  for (const language of LANGUAGES) {
    const t = TEXTS[language];
    const wordsOf = (code: string) => declineWords(t, code);
    const general = wordsOf('brand_new');

    it(`every code that a processor gives has words for patients and staff (${language})`, () => {
      expect(CODES.filter((code) => findDecline(code) === undefined)).to.deep.equal([]);
      for (const { patient, staff } of Object.values(t.failures)) {
        expect(patient).to.match(/^[A-ZÁÉÍÓÚ].*\.$/);
        // Staff read it behind a colon.
        expect(staff).to.match(/^(?!.*_)[a-z].*[^.]$/);
      }
    });

    it(`no words say that a card is lost or stolen, or that fraud is suspected (${language})`, () => {
      for (const code of MAY_MEAN_FRAUD) expect(wordsOf(code), code).to.equal(wordsOf('generic_decline'));
      const all = Object.values(t.failures).map(({ patient, staff }) => `${patient} ${staff}`);
      expect(all.join(' ')).to.not.match(/fraud|stolen|lost|robad|perdid|extraviad|sospech|suspect|block list/i);
    });

    it(`an unknown code has general words (${language})`, () => {
      for (const code of ['constructor', '__proto__', '', 'brand_new']) expect(wordsOf(code), code).to.equal(general);
      expect(wordsOf('do_not_honor')).to.equal(wordsOf('card_declined')).and.not.equal(general);
    });
  }

  it('every reason of a dispute that Stripe documents has words', () => {
    const types = readFileSync(join(checkout, 'node_modules/stripe/cjs/resources/Disputes.d.ts'), 'utf8');
    const [, documented = ''] = /Reason given by cardholder[^`]*Possible values are ([^.]+)\./.exec(types) ?? [];
    const codes = [...documented.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
    expect(codes)
      .to.include('fraudulent')
      .and.include.members([...BANK_RETURN_REASONS]);
    expect(DISPUTE_REASONS).to.have.all.keys(codes);
    expect(Object.values(DISPUTE_REASONS).filter(([words]) => words.includes('_'))).to.deep.equal([]);
  });

  /** Failure reason for the codes of an error of Stripe. */
  function reason(error: { code?: string; decline_code?: string }): string | null {
    const intent = {
      id: 'pi_1',
      status: 'requires_payment_method',
      last_payment_error: error,
      latest_charge: null,
      amount: 100,
      currency: 'usd',
      metadata: {},
    };
    // The fields of an intent that the snapshot reads.
    return paymentSnapshot(intent as unknown as Stripe.PaymentIntent).failureReason;
  }

  it('the failure reason is Stripe’s decline code, or the error code for an unknown decline code', () => {
    expect(reason({ code: 'card_declined', decline_code: 'do_not_honor' })).to.equal('do_not_honor');
    expect(reason({ code: 'card_declined', decline_code: 'insufficient_funds' })).to.equal('insufficient_funds');
    expect(reason({ code: 'card_declined', decline_code: 'brand_new_code' })).to.equal('card_declined');
    expect(reason({ code: 'expired_card', decline_code: 'brand_new_code' })).to.equal('expired_card');
    expect(reason({ code: 'expired_card' })).to.equal('expired_card');
    expect(reason({ decline_code: 'brand_new_code' })).to.equal('brand_new_code');
    expect(reason({})).to.equal('declined');
  });
});
