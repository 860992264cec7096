import type { MethodType } from '../../processors/processor.ts';

/** Pages that belong to no link: first what happened, then what to do next. */
export const problems = {
  onboarded: {
    title: { en: 'You have left onboarding', es: 'Ha salido del registro' },
    first: {
      en: 'You have left the onboarding pages of the payment provider, and you may close this page.',
      es: 'Ha salido de las páginas de registro del proveedor de pagos y puede cerrar esta página.',
    },
    second: {
      en:
        'If everything is filled in, payments are enabled within minutes. If not, or if your link had expired, ask the ' +
        'person who sent it for a new one.',
      es:
        'Si todo está completo, los pagos se activan en unos minutos. Si no, o si su enlace había vencido, pida uno nuevo a ' +
        'la persona que se lo envió.',
    },
  },
  not_found: {
    title: { en: 'Page not found', es: 'Página no encontrada' },
    first: { en: 'There is no payment page at this address.', es: 'No hay ninguna página de pago en esta dirección.' },
    second: {
      en: 'No money has been taken. Check that you copied the whole link, or ask the practice for a new one.',
      es: 'No se ha cobrado nada. Compruebe que copió el enlace completo o pida uno nuevo al consultorio.',
    },
  },
  too_many: {
    title: { en: 'Too many requests', es: 'Demasiadas solicitudes' },
    first: {
      en: 'Too many requests came from your network in a short time.',
      es: 'Desde su red llegaron demasiadas solicitudes en poco tiempo.',
    },
    second: {
      en: 'This request has taken no money. Wait a minute, then try again.',
      es: 'Por esta solicitud no se ha cobrado nada. Espere un minuto e inténtelo de nuevo.',
    },
  },
  refused: {
    title: { en: 'Request not accepted', es: 'Solicitud no aceptada' },
    first: {
      en: 'It was not sent by a form of this page, or it could not be read.',
      es: 'No se envió desde un formulario de esta página, o no se pudo leer.',
    },
    second: {
      en: 'This request has taken no money. Open your payment link and start again.',
      es: 'Por esta solicitud no se ha cobrado nada. Abra su enlace de pago y vuelva a empezar.',
    },
  },
  failure: {
    title: { en: 'Something went wrong', es: 'Algo salió mal' },
    first: {
      en: 'The error is on our side, not with you or your bank.',
      es: 'El error es nuestro, no de usted ni de su banco.',
    },
    second: {
      en: 'Before you try again, open your payment link. It says whether money was taken.',
      es: 'Antes de intentarlo otra vez, abra su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
  },
  unavailable: {
    title: { en: 'Temporarily unavailable', es: 'No disponible por el momento' },
    first: {
      en: 'The payment page is temporarily unavailable.',
      es: 'La página de pago no está disponible por el momento.',
    },
    second: {
      en: 'Wait a minute, then open your payment link again. It says whether money was taken.',
      es: 'Espere un minuto y abra de nuevo su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
  },
};

export const alerts = {
  heading: { en: 'There is a problem', es: 'Hay un problema' },
  choose_type: { en: 'Choose how you want to pay.', es: 'Elija cómo desea pagar.' },
  amount_changed: (amount: string) => ({
    en: `The amount has changed to ${amount} since you opened the page. No money has been taken. Check the new amount, then pay.`,
    es: `El monto cambió a ${amount} desde que abrió la página. No se ha cobrado nada. Revise el nuevo monto y después pague.`,
  }),
  outdated: {
    en: 'The page was open for too long. No money has been taken. Check the page, then pay.',
    es: 'La página estuvo abierta demasiado tiempo. No se ha cobrado nada. Revise la página y después pague.',
  },
  no_details: {
    en: 'The payment details did not arrive. No money has been taken. Enter them again.',
    es: 'No se recibieron los datos de pago. No se ha cobrado nada. Escríbalos de nuevo.',
  },
  try_later: {
    en: 'The payment could not be processed just now. No money has been taken. Try again in a few minutes.',
    es: 'El pago no se pudo procesar en este momento. No se ha cobrado nada. Inténtelo de nuevo en unos minutos.',
  },
  cancelled: {
    en: 'The payment was not made. No money has been taken. Try again.',
    es: 'El pago no se hizo. No se ha cobrado nada. Inténtelo de nuevo.',
  },
  already_paid: {
    heading: { en: 'You have not paid twice', es: 'Usted no ha pagado dos veces' },
    text: {
      en: 'It was paid in another window, or by someone else. Your last attempt has taken no money.',
      es: 'Se pagó en otra ventana o lo pagó otra persona. Por su último intento no se ha cobrado nada.',
    },
  },
  already_debited: {
    heading: { en: 'A bank payment was already submitted', es: 'Ya se había enviado un pago bancario' },
    text: {
      en: 'It was submitted in another window, or by someone else. Your last attempt has taken no money.',
      es: 'Se envió en otra ventana o lo envió otra persona. Por su último intento no se ha cobrado nada.',
    },
  },
  under_way: {
    heading: { en: 'A payment is already under way', es: 'Ya hay un pago en curso' },
    text: {
      en:
        'It was started earlier, or in another window. Your last attempt has taken no money. Finish the payment that ' +
        'was started, or wait until it ends.',
      es:
        'Se inició antes o en otra ventana. Por su último intento no se ha cobrado nada. Complete el pago iniciado o ' +
        'espere a que termine.',
    },
  },
  closed: {
    heading: { en: 'The payment was not made', es: 'El pago no se hizo' },
    text: { en: 'Your last attempt has taken no money.', es: 'Por su último intento no se ha cobrado nada.' },
  },
};

export const script = {
  loading: {
    en:
      'The secure form is loading … No money has been taken. If it does not appear, a content blocker or your network may ' +
      'block it.',
    es:
      'El formulario seguro se está cargando … No se ha cobrado nada. Si no aparece, es posible que un bloqueador de ' +
      'contenido o su red lo impida.',
  },
  blockedTitle: { en: 'The payment form could not be loaded', es: 'No se pudo cargar el formulario de pago' },
  blocked: {
    en:
      'No money has been taken. Your browser or your network blocks the form of Stripe, the payment provider. Switch off ' +
      'content blockers for this page, or try another browser or network. Then load the page again.',
    es:
      'No se ha cobrado nada. Su navegador o su red bloquea el formulario de Stripe, el proveedor de pagos. Desactive los ' +
      'bloqueadores de contenido para esta página o pruebe con otro navegador u otra red. Después cargue la página de nuevo.',
  },
  noJsTitle: { en: 'JavaScript is switched off', es: 'JavaScript está desactivado' },
  noJs: {
    en:
      'No money has been taken. The payment form needs JavaScript. Switch it on and load the page again, or contact the ' +
      'practice to pay another way.',
    es:
      'No se ha cobrado nada. El formulario de pago necesita JavaScript. Actívelo y cargue la página de nuevo, o ' +
      'comuníquese con el consultorio para pagar de otra forma.',
  },
};

export const test = {
  banner: { en: 'Test mode', es: 'Modo de prueba' },
  bannerText: { en: 'No real money moves on this page.', es: 'En esta página no se mueve dinero real.' },
  heading: { en: 'Simulate an outcome', es: 'Simular un resultado' },
  hint: {
    en: 'For developers: these buttons do the same as the simulate operation of the API.',
    es: 'Para desarrolladores: estos botones hacen lo mismo que la operación simulate de la API.',
  },
  outcomes: {
    paid: { en: 'Paid by card', es: 'Pagado con tarjeta' },
    processing: { en: 'Bank debit on its way', es: 'Débito bancario en camino' },
    processing_then_paid: { en: 'Bank debit, then paid', es: 'Débito bancario, luego pagado' },
    failed: { en: 'Bank debit returned', es: 'Débito bancario devuelto' },
    expired: { en: 'Link expires', es: 'El enlace vence' },
  },
};

/**
 * Test methods on the page of the sandbox, by token, the simplest first. The token decides the outcome. The sandbox knows more, which
 * cause faults: a page that anybody can open does not offer them.
 */
export const testMethods = {
  card: {
    card_success: { en: 'Visa 4242: is accepted', es: 'Visa 4242: se acepta' },
    card_declined: { en: 'Visa 0002: is declined', es: 'Visa 0002: se rechaza' },
    card_insufficient_funds: { en: 'Visa 9995: not enough money', es: 'Visa 9995: fondos insuficientes' },
    card_challenge: { en: 'Visa 3220: asks for confirmation', es: 'Visa 3220: pide confirmación' },
    card_refund_later: { en: 'Visa 7726: a refund arrives later', es: 'Visa 7726: el reembolso llega más tarde' },
    card_refund_fails: { en: 'Visa 5126: a refund fails', es: 'Visa 5126: el reembolso falla' },
  },
  us_bank_account: {
    bank_settles: { en: 'Account 6789: the debit succeeds', es: 'Cuenta 6789: el débito se cobra' },
    bank_returns: { en: 'Account 1116: the bank returns the debit', es: 'Cuenta 1116: el banco devuelve el débito' },
  },
} satisfies Record<MethodType, object>;
