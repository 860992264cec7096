import type { Texts } from './en.ts';
import { states, testStates } from './es-states.ts';

/** All texts of the pages in Spanish, as it is written in the United States. */
export const es: Texts = {
  language: { code: 'es', locale: 'es-US', name: 'Español', switchTo: 'Esta página en español' },
  states,
  testStates,
  problems: {
    onboarded: {
      title: 'Ha salido del registro',
      first: 'Ha salido de las páginas de registro del proveedor de pagos y puede cerrar esta página.',
      second:
        'Si todo está completo, los pagos se activan en unos minutos. Si no, o si su enlace había vencido, pida uno nuevo a ' +
        'la persona que se lo envió.',
    },
    not_found: {
      title: 'Página no encontrada',
      first: 'No hay ninguna página de pago en esta dirección.',
      second: 'No se ha cobrado nada. Compruebe que copió el enlace completo o pida uno nuevo al consultorio.',
    },
    too_many: {
      title: 'Demasiadas solicitudes',
      first: 'Desde su red llegaron demasiadas solicitudes en poco tiempo.',
      second: 'Por esta solicitud no se ha cobrado nada. Espere un minuto e inténtelo de nuevo.',
    },
    invalid_form: {
      title: 'No se pudo leer el formulario',
      first: 'Los datos que se enviaron no son de un formulario de esta página.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra su enlace de pago y vuelva a empezar.',
    },
    forbidden: {
      title: 'Formulario no aceptado',
      first: 'El formulario no se envió desde esta página.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra su enlace de pago y vuelva a empezar.',
    },
    method_not_allowed: {
      title: 'No es posible',
      first: 'Esta página no se puede usar de esta manera.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra de nuevo su enlace de pago.',
    },
    failure: {
      title: 'Algo salió mal',
      first: 'El error es nuestro, no de usted ni de su banco.',
      second: 'Antes de intentarlo otra vez, abra su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
    unavailable: {
      title: 'No disponible por el momento',
      first: 'La página de pago no está disponible por el momento.',
      second: 'Espere un minuto y abra de nuevo su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
  },
  failures: {
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
  },
  alerts: {
    heading: 'Hay un problema',
    choose_type: 'Elija cómo desea pagar.',
    choose_card: 'Elija una tarjeta de prueba.',
    choose_us_bank_account: 'Elija una cuenta bancaria de prueba.',
    amount_changed: (amount) =>
      `El monto cambió a ${amount} desde que abrió la página. No se ha cobrado nada. Revise el nuevo monto y después pague.`,
    outdated: 'La página estuvo abierta demasiado tiempo. No se ha cobrado nada. Revise la página y después pague.',
    no_details: 'No se recibieron los datos de pago. No se ha cobrado nada. Escríbalos de nuevo.',
    try_later:
      'El pago no se pudo procesar en este momento. No se ha cobrado nada. Inténtelo de nuevo en unos minutos.',
    cancelled: 'El pago no se hizo. No se ha cobrado nada. Inténtelo de nuevo.',
    already_paid: {
      heading: 'Esto ya estaba pagado',
      text: 'Se pagó en otra ventana o lo pagó otra persona. Por su último intento no se ha cobrado nada.',
    },
    already_debited: {
      heading: 'Ya se había enviado un pago bancario',
      text: 'Se envió en otra ventana o lo envió otra persona. Por su último intento no se ha cobrado nada.',
    },
    under_way: {
      heading: 'Ya hay un pago en curso',
      text:
        'Se inició antes o en otra ventana. Por su último intento no se ha cobrado nada. Complete el pago iniciado o ' +
        'espere a que termine.',
    },
    closed: {
      heading: 'El pago no se hizo',
      text: 'Por su último intento no se ha cobrado nada.',
    },
  },
  summary: {
    heading: 'Lo que se le pide pagar',
    amount: 'Monto',
    for: 'Concepto',
    until: (date) => `Esta página se puede usar hasta el ${date}.`,
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
      'Este es un entorno de prueba. Elija cómo termina el pago de prueba. Nunca escriba números reales de tarjetas o cuentas.',
    details: { card: 'Datos de la tarjeta', us_bank_account: 'Datos de la cuenta bancaria' },
    protected: 'Usted escribe sus datos en campos de Stripe, el proveedor de pagos. Nunca llegan a este sitio.',
    paymentsBy: (name) => `Pagos procesados por ${name}`,
    cards: 'Tarjetas con las que puede pagar',
  },
  testMethods: {
    card_success: 'Visa 4242: se acepta',
    card_declined: 'Visa 0002: se rechaza',
    card_insufficient_funds: 'Visa 9995: fondos insuficientes',
    card_challenge: 'Visa 3220: pide confirmación',
    card_refund_later: 'Visa 7726: el reembolso llega más tarde',
    card_refund_fails: 'Visa 5126: el reembolso falla',
    bank_settles: 'Cuenta 6789: el débito se cobra',
    bank_returns: 'Cuenta 1116: el banco devuelve el débito',
  },
  authorisation: {
    heading: 'Autorización del débito bancario',
    given: (moment) => `Usted dio esta autorización el ${moment}.`,
    byPhone: (whom, phone) => `${whom}, teléfono ${phone},`,
    text: (f) =>
      `Al elegir “Pagar ${f.amount}”, autorizo a ${f.practice} a debitar ${f.amount} de mi cuenta bancaria, una sola vez, ` +
      `el ${f.date} o después. Puedo revocar esta autorización comunicándome con ${f.reach} antes de que el débito se ` +
      `envíe a mi banco. Si el débito es incorrecto, puedo comunicarme con ${f.whom} o con mi banco.`,
  },
  action: {
    continue: 'Continuar con su banco',
    checkAgain: 'Consultar de nuevo',
    another: 'Pagar de otra forma',
    approve: 'Aprobar el pago de prueba',
    refuse: 'Rechazar el pago de prueba',
    sandbox: 'Esto es una prueba. Usted aprueba o rechaza el pago en lugar del banco.',
  },
  script: {
    loading:
      'El formulario seguro se está cargando … No se ha cobrado nada. Si no aparece, es posible que un bloqueador de ' +
      'contenido o su red lo impida.',
    blockedTitle: 'No se pudo cargar el formulario de pago',
    blocked:
      'No se ha cobrado nada. Su navegador o su red bloquea el formulario de Stripe, el proveedor de pagos. Desactive los ' +
      'bloqueadores de contenido para esta página o pruebe con otro navegador u otra red. Después cargue la página de nuevo.',
    noJsTitle: 'JavaScript está desactivado',
    noJs:
      'No se ha cobrado nada. El formulario de pago necesita JavaScript. Actívelo y cargue la página de nuevo, o ' +
      'comuníquese con el consultorio para pagar de otra forma.',
  },
  documents: {
    receipt: { heading: 'Recibo', print: 'Imprimir este recibo' },
    debit: { heading: 'Débito bancario en camino', print: 'Imprimir los datos de este débito' },
    returned_debit: { heading: 'Débito bancario devuelto', print: 'Imprimir los datos de este débito' },
    reversed_debit: { heading: 'Débito bancario revertido', print: 'Imprimir los datos de este débito' },
    test: { heading: 'Datos del pago de prueba', print: 'Imprimir los datos de esta prueba' },
  },
  receipt: {
    paid: 'Monto pagado',
    debit: 'Monto del débito',
    test: 'Monto de la prueba',
    refunded: 'Reembolsado',
    refunding: 'Reembolso en camino',
    reversed: 'Revertido por el banco',
    for: 'Concepto',
    to: 'Para',
    address: 'Dirección',
    date: 'Fecha',
    submitted: 'Enviado',
    paidWith: 'Pagado con',
    method: 'Forma de pago',
    card: 'Tarjeta',
    bank: 'Cuenta bancaria de EE. UU.',
    ending: (name, last4) => `${name} terminada en ${last4}`,
    statement: 'En su estado de cuenta',
    receiptNumber: 'Número de recibo',
    paymentNumber: 'Número de pago',
    testNote: 'Pago de prueba: no se movió dinero.',
  },
  receiptMail: {
    title: 'Recibo por correo',
    label: 'Su correo electrónico',
    help: 'El correo indica consultorio, monto, fecha y forma de pago. La dirección se borra al enviar el correo.',
    button: 'Enviarme el recibo',
    sent: 'El recibo está en camino a su correo.',
    heading: 'El recibo no se envió',
    invalid: 'Escriba un correo como ada@example.com.',
    tooMany: 'Este recibo se ha pedido varias veces. Revise su correo o inténtelo mañana.',
    subject: (practice: string) => `Recibo de ${practice}`,
    reference: 'Referencia',
    questions: (whom: string) => `¿Preguntas? Póngase en contacto con ${whom}.`,
    why: 'Recibe este correo porque alguien escribió su dirección en la página de pago. Si no fue usted, ignórelo.',
  },
  test: {
    banner: 'Modo de prueba',
    bannerText: 'En esta página no se mueve dinero real.',
    heading: 'Simular un resultado',
    hint: 'Para desarrolladores: estos botones hacen lo mismo que la operación simulate de la API.',
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
    text: (whom) =>
      `Comuníquese con ${whom}. Nunca envíe números de tarjetas o cuentas por correo electrónico o mensaje de texto.`,
    textUnknown:
      'Comuníquese con el consultorio que le envió el enlace. Nunca envíe números de tarjetas o cuentas por correo electrónico o mensaje de texto.',
    call: (phone) => `Llame al ${phone}`,
    reference: (reference) => `Referencia: ${reference}`,
  },
  footer: 'Página de pago segura',
};
