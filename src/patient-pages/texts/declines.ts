import { type Decline, findDecline } from '../../processors/decline-codes.ts';
import type { Both, Said } from '../../web/language.ts';

/** Returns the words of a decline of which patients and staff read the same sentence. */
function shareWords(patient: Both): { patient: Both; staff: string } {
  return { patient, staff: `${patient.en.charAt(0).toLowerCase()}${patient.en.slice(1, -1)}` };
}

/** Words of declines. `staff` ends an English sentence. Staff, who repeat it on the telephone, do not read more than patients. */
export const failures = {
  declined: {
    patient: { en: 'The bank declined the card.', es: 'El banco rechazó la tarjeta.' },
    staff: 'only the bank can say why',
  },
  insufficient_funds: {
    patient: {
      en: 'There was not enough money in the account.',
      es: 'No había suficiente dinero en la cuenta.',
    },
    staff: 'not enough money',
  },
  over_limit: {
    patient: { en: 'The payment is above the limit of the card.', es: 'El pago supera el límite de la tarjeta.' },
    staff: 'above the limit of the card',
  },
  expired_card: shareWords({ en: 'The card has expired.', es: 'La tarjeta está vencida.' }),
  incorrect_cvc: {
    patient: {
      en: 'The security code of the card was not correct.',
      es: 'El código de seguridad de la tarjeta no era correcto.',
    },
    staff: 'wrong security code',
  },
  incorrect_number: {
    patient: { en: 'The card number was not correct.', es: 'El número de la tarjeta no era correcto.' },
    staff: 'wrong card number',
  },
  incorrect_expiry: {
    patient: {
      en: 'The expiry date of the card was not correct.',
      es: 'La fecha de vencimiento de la tarjeta no era correcta.',
    },
    staff: 'wrong expiry date',
  },
  incorrect_address: shareWords({
    en: 'The ZIP code or address did not match the card.',
    es: 'El código postal o la dirección no coincide con la tarjeta.',
  }),
  not_supported: shareWords({
    en: 'The card cannot be used for this payment.',
    es: 'La tarjeta no se puede usar para este pago.',
  }),
  not_confirmed: {
    patient: { en: 'The payment was not confirmed with your bank.', es: 'El pago no se confirmó con su banco.' },
    staff: 'not confirmed with the bank',
  },
  processing_error: shareWords({
    en: 'The bank could not process the payment.',
    es: 'El banco no pudo procesar el pago.',
  }),
  bank_away: {
    patient: { en: 'The bank could not be reached.', es: 'No se pudo establecer comunicación con el banco.' },
    staff: 'the bank could not be reached',
  },
  duplicate: {
    patient: {
      en: 'The bank declined the payment as a duplicate of an earlier one.',
      es: 'El banco rechazó el pago porque lo considera un duplicado de otro anterior.',
    },
    staff: 'the bank took it for a duplicate of an earlier payment',
  },
  account_closed: shareWords({ en: 'The bank account is closed.', es: 'La cuenta bancaria está cerrada.' }),
  account_not_found: shareWords({
    en: 'The bank account could not be found.',
    es: 'No se encontró la cuenta bancaria.',
  }),
  account_unverified: shareWords({
    en: 'The bank account could not be verified.',
    es: 'No se pudo verificar la cuenta bancaria.',
  }),
  account_blocked: shareWords({
    en: 'The bank account does not allow this debit.',
    es: 'La cuenta bancaria no permite este débito.',
  }),
  debit_declined: shareWords({ en: 'The bank did not accept the debit.', es: 'El banco no aceptó el débito.' }),
  not_accepted: {
    patient: { en: 'The payment was not accepted.', es: 'El pago no fue aceptado.' },
    staff: 'no reason was given',
  },
} satisfies Record<Decline, { patient: Both; staff: string }>;

type Failures = Said<typeof failures>;

/** Returns the words of a decline, also for a code that no processor is known to give. */
export function declineWords({ failures }: { failures: Failures }, code: string): Failures[Decline] {
  return failures[findDecline(code) ?? 'not_accepted'];
}
