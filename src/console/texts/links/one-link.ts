import type { Both } from '../../../pages/texts/languages.ts';
import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';

/** Returns a function that writes a number from one to nine as a word, at the beginning of a sentence. */
const inWords = (words: string) => (count: number) => words.split(' ')[count - 1] ?? `${count}`;

const numbers = {
  en: inWords('One Two Three Four Five Six Seven Eight Nine'),
  es: inWords('Un Dos Tres Cuatro Cinco Seis Siete Ocho Nueve'),
};

export const one = {
  title: (name: string) => ({ en: `Link for ${name}`, es: `Enlace para ${name}` }),
  next: {
    waiting: {
      en: 'The patient has not paid yet. As far as we know, nobody has opened the page.',
      es: 'El paciente todavía no ha pagado. Que sepamos, nadie ha abierto la página.',
    },
    under_way: {
      en: 'A payment is being made right now. Look again in a minute.',
      es: 'Se está haciendo un pago en este momento. Mire de nuevo en un minuto.',
    },
    paid: {
      en: 'The patient has paid. The address shows the receipt.',
      es: 'El paciente ha pagado. La dirección muestra el recibo.',
    },
    expired: {
      en: 'The link no longer works. Create a new one if the amount is still due.',
      es: 'El enlace ya no funciona. Cree otro si el monto sigue pendiente.',
    },
    cancelled: { en: 'Nobody can pay the link any more.', es: 'Ya nadie puede pagar el enlace.' },
  } satisfies Record<Exclude<StaffStatus, 'returned'>, Both>,
  happened: {
    opened: (day: string) => ({
      en: `The page was last opened on ${day}. The patient has not tried to pay yet.`,
      es: `La página se abrió por última vez el ${day}. El paciente todavía no ha intentado pagar.`,
    }),
    declined: {
      card: (count: number, day: string, reasons: string) => ({
        en: `${numbers.en(count)} card ${count === 1 ? 'payment was' : 'payments were'} declined on ${day}: ${reasons}.`,
        es: `${numbers.es(count)} ${count === 1 ? 'pago' : 'pagos'} con tarjeta se ${count === 1 ? 'rechazó' : 'rechazaron'} el ${day}: ${reasons}.`,
      }),
      us_bank_account: (count: number, day: string, reasons: string) => ({
        en: `${numbers.en(count)} bank ${count === 1 ? 'debit was' : 'debits were'} declined on ${day}: ${reasons}.`,
        es: `${numbers.es(count)} ${count === 1 ? 'débito bancario' : 'débitos bancarios'} se ${count === 1 ? 'rechazó' : 'rechazaron'} el ${day}: ${reasons}.`,
      }),
    },
    again: { en: 'The patient can try again, or pay another way.', es: 'Puede intentarlo de nuevo o de otra forma.' },
    paused: (moment: string) => ({
      en: `After so many attempts in a row, the page takes payments again from ${moment}.`,
      es: `Después de tantos intentos seguidos, la página vuelve a aceptar pagos desde el ${moment}.`,
    }),
    notCompleted: (day: string) => ({
      en: `A payment was begun on ${day}, but not completed. No money was taken.`,
      es: `El ${day} se empezó un pago que no se completó. No se ha cobrado nada.`,
    }),
    inDoubt: {
      en: 'We do not know yet whether a payment went through. The patient must not pay again.',
      es: 'Todavía no sabemos si un pago se realizó. El paciente no debe pagar otra vez.',
    },
    confirm: {
      en: 'The patient still has to confirm the payment with the bank. The page shows how.',
      es: 'El paciente todavía tiene que confirmar el pago con el banco. La página indica cómo.',
    },
    debit: (day: string) => ({
      en: `The bank has not confirmed the debit of ${day} yet. This takes about four business days.`,
      es: `El banco aún no ha confirmado el débito del ${day}. Esto tarda unos cuatro días hábiles.`,
    }),
    returned: (reason: string) => ({
      en: `The bank returned the debit: ${reason}. The patient owes the amount again.`,
      es: `El banco devolvió el débito: ${reason}. El paciente debe de nuevo el monto.`,
    }),
    reversed: {
      en: 'The bank took the payment back. The patient owes the amount again.',
      es: 'El banco revirtió el pago. El paciente debe de nuevo el monto.',
    },
    disputed: {
      en: 'The patient’s bank disputes the payment. It may take the money back.',
      es: 'El banco del paciente disputa el pago. Puede revertirlo.',
    },
    dispute_lost: {
      en: 'The patient’s bank has decided a dispute for the patient, and took the money back.',
      es: 'El banco del paciente resolvió una disputa a favor del paciente y revirtió el pago.',
    },
    refunded: { en: 'The payment was refunded.', es: 'El pago se reembolsó.' },
  },
  address: { en: 'Address for the patient', es: 'Dirección para el paciente' },
  copy: { en: 'Copy the address', es: 'Copiar la dirección' },
  copied: { en: 'Copied.', es: 'Copiada.' },
  notCopied: { en: 'Press Ctrl+C or ⌘C to copy the address.', es: 'Pulse Ctrl+C o ⌘C para copiar la dirección.' },
  code: { en: 'QR code with the address of the payment page', es: 'Código QR con la dirección de la página de pago' },
  codeText: { en: 'The patient can scan it with a phone.', es: 'El paciente puede escanearlo con un teléfono.' },
  facts: {
    expires: { en: 'Works until', es: 'Funciona hasta' },
    source: { en: 'Created by', es: 'Creado por' },
  },
  sources: {
    api: { en: 'Software of the practice', es: 'Programa del consultorio' },
    staff: { en: 'Staff', es: 'Personal' },
    website: { en: 'Website', es: 'Sitio web' },
  },
  actions: { en: 'What you can do', es: 'Qué puede hacer' },
  slip: { en: 'Print a slip', es: 'Imprimir una hoja' },
  again: { en: 'New link with the same entries', es: 'Enlace nuevo con los mismos datos' },
  payment: { en: 'Payment and refunds', es: 'Pago y reembolsos' },
};

export const slip = {
  title: { en: 'Slip for the patient', es: 'Hoja para el paciente' },
  printHint: { en: 'Print this page with your browser.', es: 'Imprima esta página con su navegador.' },
  heading: { en: 'Pay online', es: 'Pague en línea' },
  description: { en: 'For', es: 'Concepto' },
  how: { en: 'Scan the code, or open this address:', es: 'Escanee el código o abra esta dirección:' },
  until: (day: string) => ({ en: `The page works until ${day}.`, es: `La página funciona hasta el ${day}.` }),
  questions: (phone: string) => ({ en: `Questions? Call ${phone}.`, es: `¿Preguntas? Llame al ${phone}.` }),
  test: { en: 'Test. No money moves.', es: 'Prueba. No se mueve dinero.' },
  language: { en: 'Language of the slip', es: 'Idioma de la hoja' },
};
