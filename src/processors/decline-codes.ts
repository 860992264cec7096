/**
 * Reasons of declines: codes of processors by their meaning, all that Stripe and the sandbox give (docs.stripe.com/declines/codes,
 * docs.stripe.com/error-codes). Codes that may mean fraud, such as a stolen card, count as a plain decline. Stripe asks for this: a thief
 * must not learn why a card failed. Codes for card readers never come from a page.
 */
const CODES = {
  declined: `card_declined generic_decline do_not_honor do_not_try_again call_issuer no_action_taken not_permitted
    service_not_allowed transaction_not_allowed approve_with_id testmode_decline invalid_account
    new_account_information_available previously_declined_do_not_retry revocation_of_authorization
    revocation_of_all_authorizations stop_payment_order incorrect_pin invalid_pin pin_try_exceeded offline_pin_required
    online_or_offline_pin_required lost_card stolen_card fraudulent merchant_blacklist pickup_card restricted_card
    security_violation highest_risk_level card_decline_rate_limit_exceeded`,
  insufficient_funds: 'insufficient_funds',
  over_limit: `card_velocity_exceeded withdrawal_count_limit_exceeded invalid_amount amount_too_large
    charge_exceeds_transaction_limit`,
  expired_card: 'expired_card expired_payment_method',
  incorrect_cvc: 'incorrect_cvc invalid_cvc',
  incorrect_number: 'incorrect_number invalid_number',
  incorrect_expiry: 'invalid_expiry_month invalid_expiry_year',
  incorrect_address: 'incorrect_zip incorrect_address incorrect_postal_code postal_code_invalid',
  not_supported: 'card_not_supported currency_not_supported invalid_card_type payment_method_not_available',
  not_confirmed: `authentication_required authentication_not_handled authentication_failure
    mobile_device_authentication_required payment_intent_authentication_failure
    payment_intent_payment_attempt_expired payment_method_customer_decline`,
  processing_error: 'processing_error',
  bank_away: 'issuer_not_available try_again_later reenter_transaction payment_method_provider_timeout',
  duplicate: 'duplicate_transaction',
  account_closed: 'account_closed',
  account_not_found: `no_account invalid_account_number account_number_invalid routing_number_invalid
    bank_account_bad_routing_numbers incorrect_account_details incorrect_account_holder_name
    incorrect_account_holder_address incorrect_account_holder_tax_id`,
  account_unverified: 'bank_account_unverified bank_account_verification_failed',
  account_blocked: `debit_not_authorized bank_account_restricted account_frozen bank_account_unusable
    payment_method_bank_account_blocked payment_method_restricted bank_ownership_changed`,
  debit_declined: 'bank_account_declined could_not_process bank_cannot_process',
  not_accepted: `not_accepted declined cancelled invalid_payment_method refer_to_customer
    payment_intent_payment_attempt_failed payment_method_provider_decline`,
};

/** Meaning of a decline. Patients and staff read words for it. */
export type Decline = keyof typeof CODES;

/** Returns the meaning of a code; undefined for a code that no processor is known to give. */
export function findDecline(code: string): Decline | undefined {
  // The table has no other names.
  return (Object.keys(CODES) as Decline[]).find((decline) => CODES[decline].split(/\s+/).includes(code));
}
