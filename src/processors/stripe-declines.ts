/**
 * Decline codes that Stripe publishes (docs.stripe.com/declines/codes), also those for card readers. A payment with another
 * decline code counts with the less specific error code that comes with it.
 */
export const STRIPE_DECLINE_CODES: ReadonlySet<string> = new Set(
  `
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
  withdrawal_count_limit_exceeded
  `
    .trim()
    .split(/\s+/),
);
