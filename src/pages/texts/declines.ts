import type { Texts } from './en.ts';

/** Key of a sentence in the texts' `failures`. */
type Sentence = keyof Texts['failures'];

/**
 * Sentence of each code that Stripe publishes. A code that may mean fraud, such as a lost or stolen card, has the sentence
 * of a plain decline. Stripe asks for this: a thief must not learn why a card failed. Codes for card readers never come
 * from a page. They are here so that every published code has a sentence.
 */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  ...sentenceFor(
    'declined',
    ...['card_declined', 'generic_decline', 'do_not_honor', 'do_not_try_again', 'call_issuer', 'no_action_taken'],
    ...['not_permitted', 'service_not_allowed', 'transaction_not_allowed', 'approve_with_id', 'testmode_decline'],
    ...['invalid_account', 'new_account_information_available', 'previously_declined_do_not_retry'],
    ...['revocation_of_authorization', 'revocation_of_all_authorizations', 'stop_payment_order'],
    ...['incorrect_pin', 'invalid_pin', 'pin_try_exceeded', 'offline_pin_required', 'online_or_offline_pin_required'],
    ...['lost_card', 'stolen_card', 'fraudulent', 'merchant_blacklist', 'pickup_card', 'restricted_card'],
    ...['security_violation', 'highest_risk_level', 'card_decline_rate_limit_exceeded'],
  ),
  ...sentenceFor('insufficient_funds', 'insufficient_funds'),
  ...sentenceFor('over_limit', 'card_velocity_exceeded', 'withdrawal_count_limit_exceeded', 'invalid_amount'),
  ...sentenceFor('expired_card', 'expired_card'),
  ...sentenceFor('incorrect_cvc', 'incorrect_cvc', 'invalid_cvc'),
  ...sentenceFor('incorrect_number', 'incorrect_number', 'invalid_number'),
  ...sentenceFor('incorrect_expiry', 'invalid_expiry_month', 'invalid_expiry_year'),
  ...sentenceFor('incorrect_address', 'incorrect_zip', 'incorrect_address'),
  ...sentenceFor('not_supported', 'card_not_supported', 'currency_not_supported'),
  ...sentenceFor(
    'not_confirmed',
    ...['authentication_required', 'authentication_not_handled', 'mobile_device_authentication_required'],
    ...['payment_intent_authentication_failure', 'payment_intent_payment_attempt_expired'],
  ),
  ...sentenceFor('processing_error', 'processing_error'),
  ...sentenceFor('bank_away', 'issuer_not_available', 'try_again_later', 'reenter_transaction'),
  ...sentenceFor('duplicate', 'duplicate_transaction'),
  ...sentenceFor('account_closed', 'account_closed'),
  ...sentenceFor(
    'account_not_found',
    ...['no_account', 'invalid_account_number', 'account_number_invalid', 'routing_number_invalid'],
    ...['incorrect_account_details', 'incorrect_account_holder_name'],
  ),
  ...sentenceFor(
    'account_blocked',
    ...['debit_not_authorized', 'bank_account_restricted', 'account_frozen', 'bank_account_unusable'],
    ...['payment_method_bank_account_blocked', 'bank_ownership_changed'],
  ),
  ...sentenceFor('debit_declined', 'bank_account_declined', 'could_not_process', 'bank_cannot_process'),
};

function sentenceFor(sentence: Sentence, ...codes: string[]): Record<string, Sentence> {
  return Object.fromEntries(codes.map((code) => [code, sentence]));
}

/** Returns why a payment was declined, or null for a code without a sentence. */
export function declineSentence(t: Texts, code: string): string | null {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  return sentence === undefined ? null : t.failures[sentence];
}
