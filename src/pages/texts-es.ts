import type { Texts } from './texts-en.ts';
import { plain } from './texts-es-plain.ts';

/** The pages in Spanish, as it is written in the United States. */
export const es: Texts = {
  language: { code: 'es', locale: 'es-US', name: 'Español', switchTo: 'Esta página en español' },
  states: {
    payable: {
      title: 'Solicitud de pago',
      heading: (f) => `Pagar a ${f.practice}`,
      first: (f) => `${f.practice} le solicita un pago de ${f.amount} antes del ${f.date}.`,
      second: () => 'Aún no se ha cobrado nada; elija abajo cómo desea pagar.',
    },
    declined: {
      title: 'Pago no completado',
      heading: () => 'Su pago no se realizó',
      first: () => 'El pago no fue aceptado.',
      second: () => 'No se ha cobrado nada; inténtelo de nuevo o elija otra forma de pago.',
    },
    requires_action: {
      title: 'Confirme su pago',
      heading: () => 'Confirme su pago',
      first: (f) => `Su banco le pide que confirme el pago de ${f.amount}.`,
      second: () => 'Aún no se ha cobrado nada; confirme el pago abajo para completarlo.',
    },
    in_progress: {
      title: 'Pago en curso',
      heading: () => 'Su pago está en curso',
      first: (f) => `El pago de ${f.amount} se ha iniciado y aún no ha terminado.`,
      second: () =>
        'Todavía no es seguro si se ha cobrado algo; no pague otra vez y vuelva a consultar dentro de un minuto.',
    },
    resting: {
      title: 'Pago en pausa',
      heading: () => 'Demasiados intentos',
      first: () => 'Varios pagos seguidos no se completaron, por lo que esta página descansa durante 15 minutos.',
      second: () => 'No se ha cobrado nada; espere 15 minutos y abra de nuevo esta página.',
    },
    bank_pending: {
      title: 'Pago bancario en camino',
      heading: () => 'Su pago bancario está en camino',
      first: (f) => `El débito de ${f.amount} se envió a su banco el ${f.date}.`,
      second: () =>
        'El dinero se cobrará de su cuenta en unos cuatro días hábiles; téngalo disponible y no pague otra vez.',
    },
    paid: {
      title: 'Pago recibido',
      heading: () => 'Gracias, hemos recibido su pago',
      first: (f) => `Usted pagó ${f.amount} a ${f.practice}.`,
      second: () => 'El dinero se ha cobrado y no tiene que hacer nada más; guarde esta página como recibo.',
    },
    already_paid: {
      title: 'Pago ya realizado',
      heading: () => 'Esto ya se ha pagado',
      first: (f) => `Se pagaron ${f.amount} a ${f.practice} el ${f.date}.`,
      second: () => 'El dinero se cobró una vez y no se cobrará de nuevo; guarde esta página como recibo.',
    },
    bank_failed: {
      title: 'Pago bancario devuelto',
      heading: () => 'Su banco devolvió el pago',
      first: (f) => `El débito de ${f.amount} no se pudo cobrar, por lo que el importe sigue pendiente.`,
      second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} para pagar de otra forma.`,
    },
    refunding: {
      title: 'Reembolso en camino',
      heading: () => 'Su pago se está reembolsando',
      first: (f) => `Se están devolviendo ${f.refunding} a la tarjeta o cuenta con la que pagó.`,
      second: () =>
        'El dinero que se cobró está en camino de vuelta, lo que puede tardar hasta diez días; no tiene que hacer nada.',
    },
    bank_reversed: {
      title: 'Pago bancario retirado',
      heading: () => 'Su banco retiró el pago',
      first: (f) => `Su banco retiró ${f.reversed}, por lo que ese importe está pendiente de nuevo.`,
      second: (f) =>
        `El dinero que se cobró volvió a su cuenta; comuníquese con ${f.practice} para pagar de otra forma.`,
    },
    refunded: {
      title: 'Pago reembolsado',
      heading: () => 'Su pago fue reembolsado',
      first: (f) => `Se devolvieron ${f.refunded} a la tarjeta o cuenta con la que pagó.`,
      second: () =>
        'El dinero que se cobró está en camino de vuelta, lo que puede tardar hasta diez días; no tiene que hacer nada.',
    },
    expired: {
      title: 'Enlace de pago vencido',
      heading: () => 'Este enlace de pago ha vencido',
      first: (f) => `Se podía usar hasta el ${f.date}.`,
      second: (f) => `No se ha cobrado nada; pida un enlace nuevo a ${f.practice} si todavía desea pagar.`,
    },
    cancelled: {
      title: 'Enlace de pago cancelado',
      heading: () => 'Este enlace de pago fue cancelado',
      first: (f) => `${f.practice} ha retirado esta solicitud.`,
      second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} si cree que es un error.`,
    },
    unavailable: {
      title: 'Pago no disponible por ahora',
      heading: () => 'El pago no está disponible por ahora',
      first: (f) => `${f.practice} no puede recibir pagos en línea en este momento.`,
      second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} o inténtelo más tarde.`,
    },
  },
  ...plain,
  notices: {
    heading: 'Hay un problema',
    choose_type: 'Elija cómo desea pagar.',
    choose_card: 'Elija una tarjeta de prueba.',
    choose_us_bank_account: 'Elija una cuenta bancaria de prueba.',
    amount_changed: (amount) =>
      `El importe cambió a ${amount} desde que abrió la página. No se ha cobrado nada; compruébelo y pague de nuevo.`,
    outdated: 'La página estuvo abierta demasiado tiempo. No se ha cobrado nada; compruébela y pague de nuevo.',
    no_details: 'No se recibieron los datos de pago. No se ha cobrado nada; escríbalos de nuevo.',
    try_later: 'El pago no se pudo procesar en este momento. No se ha cobrado nada; inténtelo en unos minutos.',
    called_off: 'El pago no se hizo. No se ha cobrado nada; inténtelo de nuevo.',
    not_payable: 'Este pago ya no se puede cambiar. No se ha cobrado nada más de lo que se muestra aquí.',
  },
  failures: {
    card_declined: 'El banco de la tarjeta la rechazó.',
    insufficient_funds: 'No había suficiente dinero en la cuenta.',
    expired_card: 'La tarjeta está vencida.',
    incorrect_cvc: 'El código de seguridad de la tarjeta no era correcto.',
    incorrect_number: 'El número de la tarjeta no era correcto.',
    authentication_required: 'El pago no se confirmó con su banco.',
    payment_intent_authentication_failure: 'El pago no se confirmó con su banco.',
    processing_error: 'El banco no pudo procesar el pago.',
    account_closed: 'La cuenta bancaria está cerrada.',
  },
  summary: {
    heading: 'Lo que se le pide pagar',
    amount: 'Importe',
    for: 'Concepto',
  },
  form: {
    heading: '¿Cómo desea pagar?',
    card: 'Tarjeta',
    card_hint: 'Tarjeta de crédito o débito',
    us_bank_account: 'Cuenta bancaria de EE. UU.',
    us_bank_account_hint: 'Débito directo, tarda unos cuatro días hábiles',
    testMethods: { card: 'Tarjeta de prueba', us_bank_account: 'Cuenta bancaria de prueba' },
    pay: (amount) => `Pagar ${amount}`,
    working: 'Espere, por favor …',
    noNumbers:
      'Este es un entorno de prueba: elija cómo termina el pago de prueba. Nunca escriba números reales de tarjetas o cuentas.',
    details: { card: 'Datos de la tarjeta', us_bank_account: 'Datos de la cuenta bancaria' },
    protected: 'Los datos se escriben en marcos del proveedor de pagos, Stripe; nunca llegan a este sitio.',
  },
  testMethods: {
    card_success: 'Visa 4242, se acepta',
    card_declined: 'Visa 0002, se rechaza',
    card_insufficient_funds: 'Visa 9995, sin fondos suficientes',
    card_challenge: 'Visa 3220, pide confirmación',
    card_refund_later: 'Visa 7726, se reembolsa con demora',
    card_refund_fails: 'Visa 5126, falla su reembolso',
    bank_settles: 'Cuenta 6789, se debita',
    bank_returns: 'Cuenta 1116, devuelve el débito',
  },
  authorisation: {
    heading: 'Autorización del débito bancario',
    byPhone: (whom, phone) => `${whom}, teléfono ${phone},`,
    text: (f) =>
      `Al elegir «Pagar ${f.amount}», autorizo a ${f.practice} a debitar ${f.amount} de mi cuenta bancaria, una sola vez, ` +
      `el ${f.date} o después. Puedo revocar esta autorización comunicándome con ${f.reach} antes de que el débito se haya ` +
      `enviado a mi banco. Si un débito es incorrecto, me comunico con ${f.whom} o con mi banco.`,
  },
  action: {
    continue: 'Continuar con su banco',
    checkAgain: 'Consultar de nuevo',
    another: 'Pagar de otra forma',
    approve: 'Aprobar el pago de prueba',
    refuse: 'Rechazar el pago de prueba',
    sandbox: 'En lugar de un banco, el entorno de prueba le pide que apruebe o rechace.',
  },
  script: {
    loading:
      'El formulario seguro se está cargando … No se ha cobrado nada. Si no aparece, un bloqueador o la red lo impide.',
    blockedTitle: 'No se pudo cargar el formulario de pago',
    blocked:
      'No se ha cobrado nada. El script del proveedor de pagos Stripe está bloqueado o fuera de alcance: desactive los bloqueadores ' +
      'para esta página o pruebe con otro navegador u otra red, y cargue la página de nuevo.',
    noJsTitle: 'JavaScript está desactivado',
    noJs:
      'No se ha cobrado nada. Los datos de la tarjeta o cuenta se escriben en marcos del proveedor de pagos, que necesitan ' +
      'JavaScript: actívelo y cargue la página de nuevo, o comuníquese con el consultorio para pagar de otra forma.',
  },
  receipt: {
    heading: 'Recibo',
    headingPending: 'Detalles del pago',
    paid: 'Importe pagado',
    debit: 'Importe del débito',
    refunded: 'Reembolsado',
    refunding: 'Reembolso en camino',
    reversed: 'Retirado por el banco',
    for: 'Concepto',
    to: 'Para',
    date: 'Fecha',
    submitted: 'Enviado',
    method: 'Pagado con',
    card: 'Tarjeta',
    bank: 'Cuenta bancaria de EE. UU.',
    ending: (name, last4) => `${name} terminada en ${last4}`,
    reference: 'Referencia',
    print: 'Imprimir este recibo',
    testNote: 'Pago de prueba: no se movió dinero.',
  },
  test: {
    banner: 'Modo de prueba',
    bannerText: 'En esta página no se mueve dinero real.',
    heading: 'Simular un resultado',
    hint: 'Para desarrolladores: hace lo mismo que la operación simulate de la API.',
    outcomes: {
      paid: 'Pagado con tarjeta',
      processing: 'Débito bancario en camino',
      processing_then_paid: 'Débito bancario, luego pagado',
      failed: 'Débito bancario devuelto',
      expired: 'El enlace vence',
    },
  },
  help: {
    heading: '¿Necesita ayuda?',
    text: (f) =>
      `Comuníquese con ${f.whom}. Nunca envíe números de tarjetas o cuentas por correo electrónico o mensaje de texto.`,
    textUnknown:
      'Comuníquese con el consultorio que le envió el enlace. Nunca envíe números de tarjetas o cuentas por correo electrónico o mensaje de texto.',
    call: (phone) => `Llame al ${phone}`,
    reference: (reference) => `Referencia: ${reference}`,
  },
  footer: 'Página de pago segura',
};
