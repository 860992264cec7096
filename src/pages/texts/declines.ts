import type { Said } from './languages.ts';

/**
 * Reasons of declines: codes of processors with their words, all that Stripe and the sandbox give. `patient` is a sentence for the
 * patient. `staff` ends a sentence for the practice. Codes that may mean fraud, such as a stolen card, have the words of a plain
 * decline. Stripe asks for this: a thief must not learn why a card failed. So staff, who repeat the reason on the telephone, do not
 * read more. Codes for card readers never come from a page. Any other code has the words of `not_accepted`.
 */
export const failures = {
  declined: {
    codes: `card_declined generic_decline do_not_honor do_not_try_again call_issuer no_action_taken not_permitted
      service_not_allowed transaction_not_allowed approve_with_id testmode_decline invalid_account
      new_account_information_available previously_declined_do_not_retry revocation_of_authorization
      revocation_of_all_authorizations stop_payment_order incorrect_pin invalid_pin pin_try_exceeded offline_pin_required
      online_or_offline_pin_required lost_card stolen_card fraudulent merchant_blacklist pickup_card restricted_card
      security_violation highest_risk_level card_decline_rate_limit_exceeded`,
    patient: { en: 'The bank declined the card.', es: 'El banco rechazó la tarjeta.' },
    staff: { en: 'only the bank can say why', es: 'solo el banco puede decir por qué' },
  },
  insufficient_funds: {
    codes: 'insufficient_funds',
    patient: {
      en: 'There was not enough money in the account.',
      es: 'No había suficiente dinero en la cuenta.',
    },
    staff: { en: 'not enough money', es: 'fondos insuficientes' },
  },
  over_limit: {
    codes: `card_velocity_exceeded withdrawal_count_limit_exceeded invalid_amount amount_too_large
      charge_exceeds_transaction_limit`,
    patient: { en: 'The payment is above the limit of the card.', es: 'El pago supera el límite de la tarjeta.' },
    staff: { en: 'above the limit of the card', es: 'supera el límite de la tarjeta' },
  },
  expired_card: {
    codes: 'expired_card expired_payment_method',
    patient: { en: 'The card has expired.', es: 'La tarjeta está vencida.' },
    staff: { en: 'the card has expired', es: 'la tarjeta está vencida' },
  },
  incorrect_cvc: {
    codes: 'incorrect_cvc invalid_cvc',
    patient: {
      en: 'The security code of the card was not correct.',
      es: 'El código de seguridad de la tarjeta no era correcto.',
    },
    staff: { en: 'wrong security code', es: 'código de seguridad incorrecto' },
  },
  incorrect_number: {
    codes: 'incorrect_number invalid_number',
    patient: { en: 'The card number was not correct.', es: 'El número de la tarjeta no era correcto.' },
    staff: { en: 'wrong card number', es: 'número de tarjeta incorrecto' },
  },
  incorrect_expiry: {
    codes: 'invalid_expiry_month invalid_expiry_year',
    patient: {
      en: 'The expiry date of the card was not correct.',
      es: 'La fecha de vencimiento de la tarjeta no era correcta.',
    },
    staff: { en: 'wrong expiry date', es: 'fecha de vencimiento incorrecta' },
  },
  incorrect_address: {
    codes: 'incorrect_zip incorrect_address incorrect_postal_code postal_code_invalid',
    patient: {
      en: 'The ZIP code or address did not match the card.',
      es: 'El código postal o la dirección no coincide con la tarjeta.',
    },
    staff: {
      en: 'the ZIP code or address did not match the card',
      es: 'el código postal o la dirección no coincide con la tarjeta',
    },
  },
  not_supported: {
    codes: 'card_not_supported currency_not_supported invalid_card_type payment_method_not_available',
    patient: {
      en: 'The card cannot be used for this payment.',
      es: 'La tarjeta no se puede usar para este pago.',
    },
    staff: { en: 'the card cannot be used for this payment', es: 'la tarjeta no se puede usar para este pago' },
  },
  not_confirmed: {
    codes: `authentication_required authentication_not_handled authentication_failure
      mobile_device_authentication_required payment_intent_authentication_failure
      payment_intent_payment_attempt_expired payment_method_customer_decline`,
    patient: { en: 'The payment was not confirmed with your bank.', es: 'El pago no se confirmó con su banco.' },
    staff: { en: 'not confirmed with the bank', es: 'no se confirmó con el banco' },
  },
  processing_error: {
    codes: 'processing_error',
    patient: { en: 'The bank could not process the payment.', es: 'El banco no pudo procesar el pago.' },
    staff: { en: 'the bank could not process the payment', es: 'el banco no pudo procesar el pago' },
  },
  bank_away: {
    codes: 'issuer_not_available try_again_later reenter_transaction payment_method_provider_timeout',
    patient: { en: 'The bank could not be reached.', es: 'No se pudo establecer comunicación con el banco.' },
    staff: { en: 'the bank could not be reached', es: 'no hubo comunicación con el banco' },
  },
  duplicate: {
    codes: 'duplicate_transaction',
    patient: {
      en: 'The bank declined the payment as a duplicate of an earlier one.',
      es: 'El banco rechazó el pago porque lo considera un duplicado de otro anterior.',
    },
    staff: {
      en: 'the bank took it for a duplicate of an earlier payment',
      es: 'el banco lo considera un duplicado de un pago anterior',
    },
  },
  account_closed: {
    codes: 'account_closed',
    patient: { en: 'The bank account is closed.', es: 'La cuenta bancaria está cerrada.' },
    staff: { en: 'the bank account is closed', es: 'la cuenta bancaria está cerrada' },
  },
  account_not_found: {
    codes: `no_account invalid_account_number account_number_invalid routing_number_invalid
      bank_account_bad_routing_numbers incorrect_account_details incorrect_account_holder_name
      incorrect_account_holder_address incorrect_account_holder_tax_id`,
    patient: { en: 'The bank account could not be found.', es: 'No se encontró la cuenta bancaria.' },
    staff: { en: 'the bank account could not be found', es: 'no se encontró la cuenta bancaria' },
  },
  account_unverified: {
    codes: 'bank_account_unverified bank_account_verification_failed',
    patient: { en: 'The bank account could not be verified.', es: 'No se pudo verificar la cuenta bancaria.' },
    staff: { en: 'the bank account could not be verified', es: 'no se pudo verificar la cuenta bancaria' },
  },
  account_blocked: {
    codes: `debit_not_authorized bank_account_restricted account_frozen bank_account_unusable
      payment_method_bank_account_blocked payment_method_restricted bank_ownership_changed`,
    patient: {
      en: 'The bank account does not allow this debit.',
      es: 'La cuenta bancaria no permite este débito.',
    },
    staff: { en: 'the bank account does not allow this debit', es: 'la cuenta bancaria no permite este débito' },
  },
  debit_declined: {
    codes: 'bank_account_declined could_not_process bank_cannot_process',
    patient: { en: 'The bank did not accept the debit.', es: 'El banco no aceptó el débito.' },
    staff: { en: 'the bank did not accept the debit', es: 'el banco no aceptó el débito' },
  },
  not_accepted: {
    codes: `not_accepted declined cancelled invalid_payment_method refer_to_customer
      payment_intent_payment_attempt_failed payment_method_provider_decline`,
    patient: { en: 'The payment was not accepted.', es: 'El pago no fue aceptado.' },
    staff: { en: 'no reason was given', es: 'no se indicó el motivo' },
  },
};

type Failures = Said<typeof failures>;

/** Returns the words of a decline, also for a code that no processor is known to give. */
export function declineWords({ failures }: { failures: Failures }, code: string): Failures['not_accepted'] {
  const known = Object.values(failures).find(({ codes }) => codes.split(/\s+/).includes(code));
  return known ?? failures.not_accepted;
}
