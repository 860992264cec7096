import type { HostedText } from '../../payment-links/state/fields.ts';
import { type Both, inLanguage, type Language, type Said } from '../../web/language.ts';
import { failures } from './declines.ts';
import { alerts, problems, script, test, testMethods } from './messages.ts';
import { declined, states, testState } from './states.ts';

/** All texts of the pages, in each language. Spanish as it is written in the United States. */
const texts = {
  problems,
  failures,
  alerts,
  script,
  test,
  testMethods,
  language: {
    code: { en: 'en', es: 'es' },
    locale: { en: 'en-US', es: 'es-US' },
    name: { en: 'English', es: 'Español' },
    switchTo: { en: 'This page in English', es: 'Esta página en español' },
  },
  states,
  declined,
  testState,
  summary: {
    headings: {
      asked: { en: 'What you are asked to pay', es: 'Lo que se le pide pagar' },
      begun: { en: 'Your payment', es: 'Su pago' },
      closed: { en: 'What this link was for', es: 'Para qué era este enlace' },
    },
    amount: { en: 'Amount', es: 'Monto' },
    until: (date: string) => ({
      en: `This page can be used until ${date}.`,
      es: `Esta página se puede usar hasta el ${date}.`,
    }),
  },
  fields: { description: { en: 'For', es: 'Concepto' } } satisfies Record<HostedText, Both>,
  form: {
    heading: { en: 'How do you want to pay?', es: '¿Cómo desea pagar?' },
    card: { en: 'Card', es: 'Tarjeta' },
    card_hint: { en: 'Credit or debit card', es: 'Tarjeta de crédito o débito' },
    us_bank_account: { en: 'US bank account', es: 'Cuenta bancaria de EE. UU.' },
    us_bank_account_hint: {
      en: 'Direct debit, takes about four business days',
      es: 'Débito directo, tarda unos cuatro días hábiles',
    },
    testMethods: {
      card: { en: 'Test card', es: 'Tarjeta de prueba' },
      us_bank_account: { en: 'Test bank account', es: 'Cuenta bancaria de prueba' },
    },
    pay: (amount: string) => ({ en: `Pay ${amount}`, es: `Pagar ${amount}` }),
    working: { en: 'Please wait …', es: 'Espere, por favor …' },
    noNumbers: {
      en: 'This is a test environment. Choose how the test payment ends. Never enter real card or bank numbers.',
      es: 'Este es un entorno de prueba. Elija cómo termina el pago de prueba. Nunca escriba números reales de tarjetas o cuentas.',
    },
    details: {
      card: { en: 'Card details', es: 'Datos de la tarjeta' },
      us_bank_account: { en: 'Bank account details', es: 'Datos de la cuenta bancaria' },
    },
    protected: {
      en: 'You enter your details in fields of Stripe, the payment provider. They never reach this site.',
      es: 'Usted escribe sus datos en campos de Stripe, el proveedor de pagos. Nunca llegan a este sitio.',
    },
    paymentsBy: (name: string) => ({ en: `Payments by ${name}`, es: `Pagos procesados por ${name}` }),
    // Names only. The logos belong to the card networks.
    cards: {
      en: 'You can pay with Visa, Mastercard, American Express and Discover.',
      es: 'Puede pagar con Visa, Mastercard, American Express y Discover.',
    },
  },
  authorisation: {
    heading: { en: 'Authorization of the bank debit', es: 'Autorización del débito bancario' },
    given: (moment: string) => ({
      en: `You gave this authorization on ${moment}.`,
      es: `Usted dio esta autorización el ${moment}.`,
    }),
    byPhone: (whom: string, phone: string) => ({
      en: `${whom}, phone ${phone},`,
      es: `${whom}, teléfono ${phone},`,
    }),
    text: (f: { practice: string; whom: string; reach: string; amount: string; date: string }) => ({
      en:
        `By choosing “Pay ${f.amount}”, I authorize ${f.practice} to debit ${f.amount} from my bank account, once, on or ` +
        `after ${f.date}. I can revoke this authorization by contacting ${f.reach} before the debit is sent to my bank. ` +
        `If the debit is wrong, I can contact ${f.whom}, or my bank.`,
      es:
        `Al elegir “Pagar ${f.amount}”, autorizo a ${f.practice} a debitar ${f.amount} de mi cuenta bancaria, una sola vez, ` +
        `el ${f.date} o después. Puedo revocar esta autorización comunicándome con ${f.reach} antes de que el débito se ` +
        `envíe a mi banco. Si el débito es incorrecto, puedo comunicarme con ${f.whom} o con mi banco.`,
    }),
  },
  action: {
    continue: { en: 'Continue to your bank', es: 'Continuar con su banco' },
    checkAgain: { en: 'Check again', es: 'Consultar de nuevo' },
    another: { en: 'Pay another way', es: 'Pagar de otra forma' },
    approve: { en: 'Approve the test payment', es: 'Aprobar el pago de prueba' },
    refuse: { en: 'Refuse the test payment', es: 'Rechazar el pago de prueba' },
    sandbox: {
      en: 'This is a test. You approve or refuse the payment in place of the bank.',
      es: 'Esto es una prueba. Usted aprueba o rechaza el pago en lugar del banco.',
    },
  },
  documents: {
    receipt: { en: 'Receipt', es: 'Recibo' },
    debit: { en: 'Bank debit on its way', es: 'Débito bancario en camino' },
    returned_debit: { en: 'Returned bank debit', es: 'Débito bancario devuelto' },
    reversed_debit: { en: 'Bank debit taken back', es: 'Débito bancario revertido' },
    test: { en: 'Details of the test payment', es: 'Datos del pago de prueba' },
  },
  print: { en: 'Print this page', es: 'Imprimir esta página' },
  receipt: {
    paid: { en: 'Amount paid', es: 'Monto pagado' },
    debit: { en: 'Amount of the debit', es: 'Monto del débito' },
    test: { en: 'Amount of the test', es: 'Monto de la prueba' },
    refunded: { en: 'Refunded', es: 'Reembolsado' },
    refunding: { en: 'Refund on its way', es: 'Reembolso en camino' },
    reversed: { en: 'Taken back by the bank', es: 'Revertido por el banco' },
    patient: { en: 'Patient', es: 'Paciente' },
    to: { en: 'To', es: 'Para' },
    address: { en: 'Address', es: 'Dirección' },
    date: { en: 'Date', es: 'Fecha' },
    submitted: { en: 'Submitted', es: 'Enviado' },
    paidWith: { en: 'Paid with', es: 'Pagado con' },
    method: { en: 'Payment method', es: 'Forma de pago' },
    ending: (name: string, last4: string) => ({
      en: `${name} ending in ${last4}`,
      es: `${name} terminada en ${last4}`,
    }),
    statement: { en: 'On your statement', es: 'En su estado de cuenta' },
    receiptNumber: { en: 'Receipt number', es: 'Número de recibo' },
    paymentNumber: { en: 'Payment number', es: 'Número de pago' },
    testNote: { en: 'Test payment: no money was moved.', es: 'Pago de prueba: no se movió dinero.' },
  },
  slip: {
    heading: { en: 'Pay online', es: 'Pague en línea' },
    how: { en: 'Scan the code, or open this address:', es: 'Escanee el código o abra esta dirección:' },
    code: { en: 'QR code with the address of the payment page', es: 'Código QR con la dirección de la página de pago' },
    until: (day: string) => ({ en: `The page works until ${day}.`, es: `La página funciona hasta el ${day}.` }),
    questions: (phone: string) => ({ en: `Questions? Call ${phone}.`, es: `¿Preguntas? Llame al ${phone}.` }),
  },
  linkMail: {
    subject: (practice: string) => ({ en: `Payment page of ${practice}`, es: `Página de pago de ${practice}` }),
    test: { en: 'This is a test. No money moves.', es: 'Esto es una prueba. No se mueve dinero.' },
    asks: (practice: string) => ({
      en: `${practice} asks you to pay online.`,
      es: `${practice} le pide que pague en línea.`,
    }),
    button: { en: 'View and pay', es: 'Ver y pagar' },
    until: (day: string) => ({
      en: `The payment page works until ${day}. Do not share its address.`,
      es: `La página de pago funciona hasta el ${day}. No comparta su dirección.`,
    }),
    unexpected: (whom: string) => ({
      en: `If you do not expect this email, or have a question, call ${whom}.`,
      es: `Si no espera este correo o tiene una pregunta, llame a ${whom}.`,
    }),
  },
  receiptMail: {
    title: { en: 'Receipt by email', es: 'Recibo por correo' },
    label: { en: 'Your email address', es: 'Su correo electrónico' },
    help: {
      en: 'The email has practice, amount, date and payment method. Your address is deleted when it is sent.',
      es: 'El correo indica consultorio, monto, fecha y forma de pago. La dirección se borra al enviar el correo.',
    },
    button: { en: 'Send me the receipt', es: 'Enviarme el recibo' },
    sent: { en: 'The receipt is on its way to your inbox.', es: 'El recibo está en camino a su correo.' },
    heading: { en: 'The receipt was not sent', es: 'El recibo no se envió' },
    invalid: {
      en: 'Enter an email address such as ada@example.com, in letters without accents.',
      es: 'Escriba un correo como ada@example.com, sin acentos.',
    },
    tooMany: {
      en: 'This receipt was requested several times. Check your inbox, or try again tomorrow.',
      es: 'Este recibo se ha pedido varias veces. Revise su correo o inténtelo mañana.',
    },
    subject: (practice: string) => ({ en: `Receipt from ${practice}`, es: `Recibo de ${practice}` }),
    questions: (whom: string) => ({
      en: `Questions? Contact ${whom}.`,
      es: `¿Preguntas? Póngase en contacto con ${whom}.`,
    }),
    why: {
      en: 'You get this email because someone entered your address on the payment page. If it was not you, ignore it.',
      es: 'Recibe este correo porque alguien escribió su dirección en la página de pago. Si no fue usted, ignórelo.',
    },
    whyByStaff: {
      en: 'The practice sent you this receipt at your request. If you did not ask for it, delete it and call the practice.',
      es: 'El consultorio le envió este recibo a petición suya. Si no lo pidió, bórrelo y llame al consultorio.',
    },
  },
  help: {
    heading: { en: 'Need help?', es: '¿Necesita ayuda?' },
    text: (whom: string) => ({
      en: `Contact ${whom}. Never send card or bank numbers by email or text message.`,
      es: `Comuníquese con ${whom}. Nunca envíe números de tarjetas o cuentas por correo electrónico o mensaje de texto.`,
    }),
    unknownPractice: { en: 'the practice that sent you the link', es: 'el consultorio que le envió el enlace' },
    call: (phone: string) => ({ en: `Call ${phone}`, es: `Llame al ${phone}` }),
    reference: (reference: string) => ({ en: `Reference: ${reference}`, es: `Referencia: ${reference}` }),
  },
  footer: { en: 'Secure payment page', es: 'Página de pago segura' },
};

export type { Facts } from './states.ts';

/** All texts of the pages in one language. */
export type Texts = Said<typeof texts>;

/** Key of a state's texts. Some states have several, such as `paid` and `already_paid`. */
export type Wording = keyof Texts['states'];

export type Problem = keyof Texts['problems'];

export const TEXTS: Readonly<Record<Language, Texts>> = { en: inLanguage(texts, 'en'), es: inLanguage(texts, 'es') };
