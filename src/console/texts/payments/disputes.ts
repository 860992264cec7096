/** Reasons of disputes in words: all that Stripe gives. Any other code has the words of `general`. */
export const disputeReasons = {
  bank_cannot_process: { en: 'The bank could not process the payment', es: 'El banco no pudo procesar el pago' },
  check_returned: { en: 'A check was returned', es: 'Se devolvió un cheque' },
  credit_not_processed: { en: 'A promised refund did not arrive', es: 'No llegó un reembolso prometido' },
  customer_initiated: { en: 'The patient asked the bank for it', es: 'El paciente la pidió al banco' },
  debit_not_authorized: { en: 'The debit was not authorized', es: 'El débito no fue autorizado' },
  duplicate: { en: 'Paid twice', es: 'Se pagó dos veces' },
  fraudulent: { en: 'The cardholder reports fraud', es: 'El titular de la tarjeta denuncia un fraude' },
  general: { en: 'Another reason', es: 'Otro motivo' },
  incorrect_account_details: { en: 'Wrong account details', es: 'Datos de la cuenta incorrectos' },
  insufficient_funds: { en: 'Not enough money in the account', es: 'Fondos insuficientes en la cuenta' },
  noncompliant: { en: 'Against the rules of the card network', es: 'Contrario a las reglas de la red' },
  product_not_received: { en: 'The service was not received', es: 'No se recibió el servicio' },
  product_unacceptable: { en: 'Not satisfied with the service', es: 'No está conforme con el servicio' },
  subscription_canceled: { en: 'Paid after a cancellation', es: 'Se pagó después de una cancelación' },
  unrecognized: { en: 'The patient does not recognize the payment', es: 'El paciente no reconoce el pago' },
};
