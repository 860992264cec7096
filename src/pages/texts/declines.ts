import type { Texts } from './en.ts';

/** A sentence of `failures`. */
type Sentence = keyof Texts['failures'];

/**
 * Which sentence tells a processor's code. Stripe publishes the codes. What may mean fraud (a lost or stolen card, a
 * suspicion of the bank's or of Stripe's) is told by the very sentence of a plain decline, as Stripe asks for: whoever
 * tries a card that isn't theirs must not learn why it failed. Codes for card readers can't come from a page; they are
 * here so that every published code has its sentence.
 */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  ...leadTo(
    'declined',
    ...['card_declined', 'generic_decline', 'do_not_honor', 'do_not_try_again', 'call_issuer', 'no_action_taken'],
    ...['not_permitted', 'service_not_allowed', 'transaction_not_allowed', 'approve_with_id', 'testmode_decline'],
    ...['invalid_account', 'new_account_information_available', 'previously_declined_do_not_retry'],
    ...['revocation_of_authorization', 'revocation_of_all_authorizations', 'stop_payment_order'],
    ...['incorrect_pin', 'invalid_pin', 'pin_try_exceeded', 'offline_pin_required', 'online_or_offline_pin_required'],
    ...['lost_card', 'stolen_card', 'fraudulent', 'merchant_blacklist', 'pickup_card', 'restricted_card'],
    ...['security_violation', 'highest_risk_level', 'card_decline_rate_limit_exceeded'],
  ),
  ...leadTo('insufficient_funds', 'insufficient_funds'),
  ...leadTo('over_limit', 'card_velocity_exceeded', 'withdrawal_count_limit_exceeded', 'invalid_amount'),
  ...leadTo('expired_card', 'expired_card'),
  ...leadTo('incorrect_cvc', 'incorrect_cvc', 'invalid_cvc'),
  ...leadTo('incorrect_number', 'incorrect_number', 'invalid_number'),
  ...leadTo('incorrect_expiry', 'invalid_expiry_month', 'invalid_expiry_year'),
  ...leadTo('incorrect_address', 'incorrect_zip', 'incorrect_address'),
  ...leadTo('not_supported', 'card_not_supported', 'currency_not_supported'),
  ...leadTo(
    'not_confirmed',
    ...['authentication_required', 'authentication_not_handled', 'mobile_device_authentication_required'],
    ...['payment_intent_authentication_failure', 'payment_intent_payment_attempt_expired'],
  ),
  ...leadTo('processing_error', 'processing_error'),
  ...leadTo('bank_away', 'issuer_not_available', 'try_again_later', 'reenter_transaction'),
  ...leadTo('duplicate', 'duplicate_transaction'),
  ...leadTo('account_closed', 'account_closed'),
  ...leadTo(
    'account_not_found',
    ...['no_account', 'invalid_account_number', 'account_number_invalid', 'routing_number_invalid'],
    ...['incorrect_account_details', 'incorrect_account_holder_name'],
  ),
  ...leadTo(
    'account_blocked',
    ...['debit_not_authorized', 'bank_account_restricted', 'account_frozen', 'bank_account_unusable'],
    ...['payment_method_bank_account_blocked', 'bank_ownership_changed'],
  ),
  ...leadTo('debit_declined', 'bank_account_declined', 'could_not_process', 'bank_cannot_process'),
};

function leadTo(sentence: Sentence, ...codes: string[]): Record<string, Sentence> {
  return Object.fromEntries(codes.map((code) => [code, sentence]));
}

/** Why a payment was declined, or null for a code that has no sentence. */
export function declineSentence(t: Texts, code: string): string | null {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  return sentence === undefined ? null : t.failures[sentence];
}
