import type { Texts } from './en.ts';

/** Reasons of a decline in Spanish. */
export const failures: Texts['failures'] = {
  declined: 'El banco rechazó la tarjeta.',
  insufficient_funds: 'No había suficiente dinero en la cuenta.',
  over_limit: 'El pago supera el límite de la tarjeta.',
  expired_card: 'La tarjeta está vencida.',
  incorrect_cvc: 'El código de seguridad de la tarjeta no era correcto.',
  incorrect_number: 'El número de la tarjeta no era correcto.',
  incorrect_expiry: 'La fecha de vencimiento de la tarjeta no era correcta.',
  incorrect_address: 'El código postal o la dirección no coincide con la tarjeta.',
  not_supported: 'La tarjeta no se puede usar para este pago.',
  not_confirmed: 'El pago no se confirmó con su banco.',
  processing_error: 'El banco no pudo procesar el pago.',
  bank_away: 'No se pudo establecer comunicación con el banco.',
  duplicate: 'El banco rechazó el pago porque lo considera un duplicado de otro anterior.',
  account_closed: 'La cuenta bancaria está cerrada.',
  account_not_found: 'No se encontró la cuenta bancaria.',
  account_blocked: 'La cuenta bancaria no permite este débito.',
  debit_declined: 'El banco no aceptó el débito.',
};
