import { expect } from 'chai';
import type Stripe from 'stripe';
import { declineSentence } from '../../src/pages/texts/declines.ts';
import { LANGUAGES } from '../../src/pages/texts/language.ts';
import { TEXTS } from '../../src/pages/texts/texts.ts';
import { STRIPE_DECLINE_CODES } from '../../src/processors/stripe-declines.ts';
import { paymentSnapshot } from '../../src/processors/stripe-snapshots.ts';

/** Codes that a patient must not see. Stripe asks to present them as a plain decline. */
const MAY_MEAN_FRAUD = [
  ...['fraudulent', 'lost_card', 'stolen_card', 'merchant_blacklist', 'pickup_card', 'restricted_card'],
  ...['security_violation', 'highest_risk_level'],
];

describe('reasons of declines', () => {
  for (const language of LANGUAGES) {
    const t = TEXTS[language];
    const sentence = (code: string) => declineSentence(t, code);

    it(`every code that Stripe publishes has a sentence (${language})`, () => {
      expect(STRIPE_DECLINE_CODES.size).to.be.above(45);
      const silent = [...STRIPE_DECLINE_CODES].filter((code) => sentence(code) === null);
      expect(silent).to.deep.equal([]);
      for (const code of STRIPE_DECLINE_CODES) expect(sentence(code), code).to.match(/^[A-ZÁÉÍÓÚ].*\.$/);
    });

    it(`no sentence says that a card is lost or stolen, or that fraud is suspected (${language})`, () => {
      for (const code of MAY_MEAN_FRAUD) expect(sentence(code), code).to.equal(sentence('generic_decline'));
      const all = Object.values(t.failures).join(' ');
      expect(all).to.not.match(/fraud|stolen|lost|robad|perdid|extraviad|sospech|suspect|block list/i);
    });

    it(`less specific codes have sentences too, and unknown codes have none (${language})`, () => {
      for (const code of ['card_declined', 'insufficient_funds', 'account_closed', 'no_account']) {
        expect(sentence(code), code).to.be.a('string');
      }
      expect(sentence('do_not_honor')).to.equal(sentence('card_declined'));
      for (const code of ['constructor', '__proto__', '', 'brand_new']) expect(sentence(code), code).to.equal(null);
    });
  }

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
