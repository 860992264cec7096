import type { Texts } from './texts.ts';

type Sentence = keyof Texts['failures'];

/**
 * Codes of each sentence: all that Stripe publishes. A code that may mean fraud, such as a lost or stolen card, has the sentence of a
 * plain decline. Stripe asks for this: a thief must not learn why a card failed. Codes for card readers never come from a page.
 */
const CODES: Readonly<Record<Sentence, string>> = {
  declined: `card_declined generic_decline do_not_honor do_not_try_again call_issuer no_action_taken not_permitted
    service_not_allowed transaction_not_allowed approve_with_id testmode_decline invalid_account
    new_account_information_available previously_declined_do_not_retry revocation_of_authorization
    revocation_of_all_authorizations stop_payment_order incorrect_pin invalid_pin pin_try_exceeded offline_pin_required
    online_or_offline_pin_required lost_card stolen_card fraudulent merchant_blacklist pickup_card restricted_card
    security_violation highest_risk_level card_decline_rate_limit_exceeded`,
  insufficient_funds: 'insufficient_funds',
  over_limit: 'card_velocity_exceeded withdrawal_count_limit_exceeded invalid_amount',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc invalid_cvc',
  incorrect_number: 'incorrect_number invalid_number',
  incorrect_expiry: 'invalid_expiry_month invalid_expiry_year',
  incorrect_address: 'incorrect_zip incorrect_address',
  not_supported: 'card_not_supported currency_not_supported',
  not_confirmed: `authentication_required authentication_not_handled mobile_device_authentication_required
    payment_intent_authentication_failure payment_intent_payment_attempt_expired`,
  processing_error: 'processing_error',
  bank_away: 'issuer_not_available try_again_later reenter_transaction',
  duplicate: 'duplicate_transaction',
  account_closed: 'account_closed',
  account_not_found: `no_account invalid_account_number account_number_invalid routing_number_invalid
    incorrect_account_details incorrect_account_holder_name`,
  account_blocked: `debit_not_authorized bank_account_restricted account_frozen bank_account_unusable
    payment_method_bank_account_blocked bank_ownership_changed`,
  debit_declined: 'bank_account_declined could_not_process bank_cannot_process',
};

/** Returns why a payment was declined, or null for a code without a sentence. */
export function declineSentence({ failures }: Texts, code: string): string | null {
  const found = Object.entries(failures).find(([name]) => CODES[name as Sentence].split(/\s+/).includes(code));
  return found?.[1] ?? null;
}
