import type { Both } from '../../../pages/texts/languages.ts';
import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';

export const one = {
  title: (name: string) => ({ en: `Link for ${name}`, es: `Enlace para ${name}` }),
  next: {
    waiting: { en: 'The patient has not paid yet.', es: 'El paciente todavía no ha pagado.' },
    under_way: {
      en: 'A payment is being made, or the bank has not confirmed it yet. Bank debits take some days.',
      es: 'El pago está en curso o el banco no lo ha confirmado. Los débitos bancarios tardan unos días.',
    },
    paid: {
      en: 'The patient has paid. The address shows the receipt.',
      es: 'El paciente ha pagado. La dirección muestra el recibo.',
    },
    returned: {
      en: 'The bank returned the payment, so the patient owes the amount again.',
      es: 'El banco devolvió el pago; el paciente debe de nuevo el monto.',
    },
    expired: {
      en: 'The link does not work any more. Make a new one if the amount is still due.',
      es: 'El enlace ya no funciona. Cree otro si el monto sigue pendiente.',
    },
    cancelled: {
      en: 'The link was cancelled. Nobody can pay it.',
      es: 'El enlace está cancelado. Nadie puede pagarlo.',
    },
  } satisfies Record<StaffStatus, Both>,
  address: { en: 'Address for the patient', es: 'Dirección para el paciente' },
  copy: { en: 'Copy the address', es: 'Copiar la dirección' },
  copied: { en: 'Copied.', es: 'Copiada.' },
  notCopied: {
    en: 'Press Ctrl+C or ⌘C to copy the selected address.',
    es: 'Pulse Ctrl+C o ⌘C para copiar la dirección seleccionada.',
  },
  code: { en: 'QR code with the address of the payment page', es: 'Código QR con la dirección de la página de pago' },
  codeText: {
    en: 'The patient can scan this code with a phone.',
    es: 'El paciente puede escanear este código con un teléfono.',
  },
  facts: {
    expires: { en: 'Works until', es: 'Funciona hasta' },
    source: { en: 'Made by', es: 'Creado por' },
  },
  sources: {
    api: { en: 'Software of the practice', es: 'Programa del consultorio' },
    staff: { en: 'Staff', es: 'Personal' },
    website: { en: 'Website', es: 'Sitio web' },
  },
  actions: { en: 'What you can do', es: 'Qué puede hacer' },
  slip: { en: 'Print a slip', es: 'Imprimir una hoja' },
  change: { en: 'Change', es: 'Cambiar' },
  again: { en: 'New link with the same entries', es: 'Enlace nuevo con los mismos datos' },
  payment: { en: 'Payment and refunds', es: 'Pago y reembolsos' },
  history: { en: 'Who did what', es: 'Quién hizo qué' },
  noHistory: {
    en: 'No person has done anything with this link.',
    es: 'Ninguna persona ha hecho nada con este enlace.',
  },
  back: { en: 'All links', es: 'Todos los enlaces' },
};

export const slip = {
  title: { en: 'Slip for the patient', es: 'Hoja para el paciente' },
  print: { en: 'Print', es: 'Imprimir' },
  printHint: { en: 'Print this page with your browser.', es: 'Imprima esta página con su navegador.' },
  heading: { en: 'Pay online', es: 'Pague en línea' },
  amount: { en: 'Amount', es: 'Monto' },
  description: { en: 'For', es: 'Concepto' },
  how: {
    en: 'Scan the code with your phone, or open this address:',
    es: 'Escanee el código con su teléfono o abra esta dirección:',
  },
  until: (day: string) => ({ en: `The page works until ${day}.`, es: `La página funciona hasta el ${day}.` }),
  questions: (phone: string) => ({ en: `Questions? Call ${phone}.`, es: `¿Preguntas? Llame al ${phone}.` }),
  test: { en: 'Test. No money moves.', es: 'Prueba. No se mueve dinero.' },
  language: { en: 'Language of the slip', es: 'Idioma de la hoja' },
  back: { en: 'Back to the link', es: 'Volver al enlace' },
};
