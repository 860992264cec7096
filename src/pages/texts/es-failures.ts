import type { Texts } from './en.ts';

/** Why a payment was declined, in Spanish. */
export const failures: Texts['failures'] = {
  declined: 'El banco de la tarjeta la rechazó.',
  insufficient_funds: 'No había suficiente dinero en la cuenta.',
  over_limit: 'El pago supera un límite de la tarjeta.',
  expired_card: 'La tarjeta está vencida.',
  incorrect_cvc: 'El código de seguridad de la tarjeta no era correcto.',
  incorrect_number: 'El número de la tarjeta no era correcto.',
  incorrect_expiry: 'La fecha de vencimiento de la tarjeta no era correcta.',
  incorrect_address: 'El código postal o la dirección no coincide con la tarjeta.',
  not_supported: 'La tarjeta no se puede usar para este pago.',
  not_confirmed: 'El pago no se confirmó con su banco.',
  processing_error: 'El banco no pudo procesar el pago.',
  bank_away: 'No se pudo contactar con el banco en ese momento.',
  duplicate: 'El banco lo tomó por la repetición de un pago hecho poco antes.',
  account_closed: 'La cuenta bancaria está cerrada.',
  account_not_found: 'No se encontró la cuenta bancaria.',
  account_blocked: 'La cuenta bancaria no permite el débito.',
  debit_declined: 'El banco no aceptó el débito.',
};
