import { type Decline, findDecline } from '../../processors/decline-codes.ts';
import type { Both, Said } from '../../web/language.ts';

/** Returns the words of a decline. The words for staff, who repeat them on the telephone, end an English sentence and say no more. */
function say(en: string, es: string, staff = `${en.charAt(0).toLowerCase()}${en.slice(1, -1)}`) {
  return { patient: { en, es }, staff };
}

export const failures = {
  declined: say('The bank declined the card.', 'El banco rechazó la tarjeta.', 'only the bank can say why'),
  insufficient_funds: say(
    'There was not enough money in the account.',
    'No había suficiente dinero en la cuenta.',
    'not enough money',
  ),
  over_limit: say(
    'The payment is above the limit of the card.',
    'El pago supera el límite de la tarjeta.',
    'above the limit of the card',
  ),
  expired_card: say('The card has expired.', 'La tarjeta está vencida.'),
  incorrect_cvc: say(
    'The security code of the card was not correct.',
    'El código de seguridad de la tarjeta no era correcto.',
    'wrong security code',
  ),
  incorrect_number: say(
    'The card number was not correct.',
    'El número de la tarjeta no era correcto.',
    'wrong card number',
  ),
  incorrect_expiry: say(
    'The expiry date of the card was not correct.',
    'La fecha de vencimiento de la tarjeta no era correcta.',
    'wrong expiry date',
  ),
  incorrect_address: say(
    'The ZIP code or address did not match the card.',
    'El código postal o la dirección no coincide con la tarjeta.',
  ),
  not_supported: say('The card cannot be used for this payment.', 'La tarjeta no se puede usar para este pago.'),
  not_confirmed: say(
    'The payment was not confirmed with your bank.',
    'El pago no se confirmó con su banco.',
    'not confirmed with the bank',
  ),
  processing_error: say('The bank could not process the payment.', 'El banco no pudo procesar el pago.'),
  bank_away: say('The bank could not be reached.', 'No se pudo establecer comunicación con el banco.'),
  duplicate: say(
    'The bank declined the payment as a duplicate of an earlier one.',
    'El banco rechazó el pago porque lo considera un duplicado de otro anterior.',
    'the bank took it for a duplicate of an earlier payment',
  ),
  account_closed: say('The bank account is closed.', 'La cuenta bancaria está cerrada.'),
  account_not_found: say('The bank account could not be found.', 'No se encontró la cuenta bancaria.'),
  account_unverified: say('The bank account could not be verified.', 'No se pudo verificar la cuenta bancaria.'),
  account_blocked: say('The bank account does not allow this debit.', 'La cuenta bancaria no permite este débito.'),
  debit_declined: say('The bank did not accept the debit.', 'El banco no aceptó el débito.'),
  not_accepted: say('The payment was not accepted.', 'El pago no fue aceptado.', 'no reason was given'),
} satisfies Record<Decline, { patient: Both; staff: string }>;

type Failures = Said<typeof failures>;

/** Returns the words of a decline, also for a code that no processor is known to give. */
export function declineWords({ failures }: { failures: Failures }, code: string): Failures[Decline] {
  return failures[findDecline(code) ?? 'not_accepted'];
}
