import type { UnfitCharacter } from '../../../base/text.ts';
import type { Both } from '../../../pages/texts/languages.ts';
import type { StaffField } from '../../../payment-links/link/fields.ts';
import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';
import type { CancelReason } from '../../../payment-links/staff/create-and-change.ts';
import { one, slip } from './one-link.ts';

export const links = {
  title: { en: 'Payment links', es: 'Enlaces de pago' },
  statuses: {
    waiting: { en: 'Waiting', es: 'Pendiente' },
    under_way: { en: 'Under way', es: 'En curso' },
    paid: { en: 'Paid', es: 'Pagado' },
    refunded: { en: 'Refunded', es: 'Reembolsado' },
    returned: { en: 'Returned', es: 'Devuelto' },
    expired: { en: 'Expired', es: 'Vencido' },
    cancelled: { en: 'Canceled', es: 'Cancelado' },
  } satisfies Record<StaffStatus | 'refunded', Both>,
  filter: {
    from: { en: 'Created from', es: 'Creado desde' },
    until: { en: 'Created until', es: 'Creado hasta' },
    expiring: { en: 'Waiting, expires within 7 days', es: 'Pendiente, vence en 7 días' },
  },
  declined: (reason: string) => ({ en: `Declined: ${reason}`, es: `Rechazado: ${reason}` }),
  noMatch: {
    title: { en: 'No link matches', es: 'Ningún enlace corresponde' },
    text: {
      en: 'Check the spelling, type only the first letters of the last name, or remove a filter.',
      es: 'Revise la ortografía, escriba solo las primeras letras del apellido o quite un filtro.',
    },
  },
  empty: {
    title: { en: 'No links yet', es: 'Todavía no hay enlaces' },
    text: {
      en: 'A link is a page on which one patient pays one amount, without an account.',
      es: 'Un enlace es una página en la que un paciente paga un monto, sin necesidad de una cuenta.',
    },
    steps: [
      {
        en: 'Press “New link” and enter the patient, the amount and what it is for.',
        es: 'Pulse «Enlace nuevo» y escriba el paciente, el monto y el concepto.',
      },
      {
        en: 'Give the patient the address: copy it, print a slip, or let them scan the code.',
        es: 'Dé la dirección al paciente: cópiela, imprima una hoja o deje que escanee el código.',
      },
      { en: 'Look here: “Waiting” becomes “Paid”.', es: 'Mire aquí: «Pendiente» pasa a ser «Pagado».' },
    ],
  },
  create: {
    title: { en: 'New link', es: 'Enlace nuevo' },
    lead: {
      en: 'The patient sees the practice, the amount and what it is for.',
      es: 'El paciente ve el consultorio, el monto y el concepto.',
    },
    button: { en: 'Create the link', es: 'Crear el enlace' },
    optional: { en: 'More, if you need it', es: 'Más datos, si los necesita' },
    expires: { en: 'The link works for', es: 'El enlace funciona durante' },
  },
  fields: {
    firstName: { en: 'First name', es: 'Nombre' },
    lastName: { en: 'Last name', es: 'Apellidos' },
    amount: { en: 'Amount in dollars', es: 'Monto en dólares' },
    description: { en: 'What it is for', es: 'Concepto' },
    locationId: { en: 'Location', es: 'Sede' },
    email: { en: 'Email address', es: 'Correo electrónico' },
    phone: { en: 'Phone', es: 'Teléfono' },
    externalId: { en: 'Chart number', es: 'Número de expediente' },
    externalReference: { en: 'Reference', es: 'Referencia' },
    expiresAt: { en: 'Expiry', es: 'Vencimiento' },
  } satisfies Record<StaffField, Both>,
  hints: {
    description: { en: 'The patient reads it. No card numbers.', es: 'El paciente lo lee. Sin números de tarjeta.' },
    externalReference: { en: 'Such as an invoice number.', es: 'Por ejemplo, un número de factura.' },
  },
  faults: {
    amount: { en: 'Enter up to 999,999.99, such as 99.95.', es: 'Escriba hasta 999,999.99, como 99.95.' },
    description: {
      en: 'Enter what the payment is for, at most 500 characters.',
      es: 'Escriba el concepto del pago, de 500 caracteres como máximo.',
    },
    locationId: { en: 'Choose a location.', es: 'Elija una sede.' },
    email: {
      en: 'Enter an email address such as ada@example.com, in letters without accents, or leave it empty.',
      es: 'Escriba un correo como ada@example.com, sin acentos, o deje el campo vacío.',
    },
    phone: {
      en: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
      es: 'Escriba un teléfono como (202) 555-0143 o deje el campo vacío.',
    },
    expiresAt: { en: 'Choose one of the days.', es: 'Elija uno de los días.' },
  } satisfies Partial<Record<StaffField, Both>>,
  unfit: (label: string, { kind, codePoint }: UnfitCharacter) => ({
    en: `${label}: remove the ${kind} ${codePoint}, which is invisible.`,
    es: `${label}: quite el carácter invisible ${codePoint}.`,
  }),
  length: (label: string, length: number) => ({
    en: `${label}: enter 1 to ${length} characters.`,
    es: `${label}: escriba de 1 a ${length} caracteres.`,
  }),
  cardNumber: {
    en: 'This looks like a card number. Never type card numbers; the patient enters the card.',
    es: 'Esto parece un número de tarjeta. No escriba nunca números de tarjeta; lo hace el paciente.',
  },
  days: (days: number, day: string) => ({ en: `${days} days, until ${day}`, es: `${days} días, hasta el ${day}` }),
  refusals: {
    used_form: {
      en: 'This form has already created a link. To create another one, check the entries and send the form again.',
      es: 'Este formulario ya creó un enlace. Para crear otro, revise los datos y envíe el formulario de nuevo.',
    },
    payments_not_enabled: {
      en: 'The practice has not finished setting up payments, so live links cannot be created yet.',
      es: 'El consultorio no ha terminado de configurar los pagos; aún no se pueden crear enlaces reales.',
    },
    no_active_location: {
      en: 'There is no location in use that you see. Ask an administrator.',
      es: 'No hay ninguna sede en uso que usted vea. Pregunte a un administrador.',
    },
    link_not_active: { en: 'Not changed: the link is not active.', es: 'Sin cambios: el enlace ya no está activo.' },
    payment_under_way: {
      en: 'The patient is paying right now, and the payment cannot be stopped. Look again in a minute.',
      es: 'El paciente está pagando ahora y el pago no se puede detener. Mire de nuevo en un minuto.',
    },
    no_reason: { en: 'Choose a reason.', es: 'Elija un motivo.' },
    no_sender: {
      en: 'The operator of this service has not set up email. Copy the address instead.',
      es: 'El operador de este servicio no ha configurado el correo. Copie la dirección.',
    },
    no_address: { en: 'Add an email address with “Change”.', es: 'Añada un correo electrónico con «Cambiar».' },
    link_limit: {
      en: 'This link was emailed three times in the last 24 hours. Try again tomorrow.',
      es: 'Este enlace se envió tres veces en las últimas 24 horas. Inténtelo mañana.',
    },
    practice_limit: {
      en: 'Your practice has sent all emails that it may send in 24 hours. Try again tomorrow.',
      es: 'Su consultorio ha agotado los correos de 24 horas. Inténtelo mañana.',
    },
  },
  one,
  slip,
  change: {
    title: { en: 'Change the link', es: 'Cambiar el enlace' },
    lead: {
      en: 'The address stays the same. The patient’s name cannot be changed: cancel the link and create a new one.',
      es: 'La dirección no cambia. El nombre del paciente no se puede cambiar: cancele el enlace y cree otro.',
    },
    until: (day: string) => ({ en: `As before, until ${day}`, es: `Como antes, hasta el ${day}` }),
    underWay: { en: 'A new amount cancels the payment under way.', es: 'Un monto nuevo cancela el pago en curso.' },
  },
  cancel: {
    title: { en: 'Cancel the link', es: 'Cancelar el enlace' },
    text: {
      en: 'The address stops working at once. This cannot be undone.',
      es: 'La dirección deja de funcionar de inmediato. No se puede deshacer.',
    },
    reasons: {
      wrong_amount: { en: 'Wrong amount', es: 'Monto equivocado' },
      wrong_patient: { en: 'Wrong patient', es: 'Paciente equivocado' },
      duplicate: { en: 'Created twice', es: 'Creado dos veces' },
      paid_otherwise: { en: 'Paid another way', es: 'Pagado de otra manera' },
      not_owed: { en: 'No longer owed', es: 'Ya no se debe' },
      other: { en: 'Another reason', es: 'Otro motivo' },
    } satisfies Record<CancelReason, Both>,
    confirm: { en: 'Yes, cancel this link', es: 'Sí, cancelar este enlace' },
  },
  send: {
    title: { en: 'Send by email', es: 'Enviar por correo' },
    text: (email: string) => ({
      en: `The address of the link goes to ${email}. The email names neither the amount nor what it is for.`,
      es: `La dirección del enlace va a ${email}. El correo no dice el monto ni el concepto.`,
    }),
    language: { en: 'Language of the email', es: 'Idioma del correo' },
    noText: {
      en: 'Text messages are not available. Copy the address into your own messaging program.',
      es: 'No hay mensajes de texto. Copie la dirección en su propio programa de mensajes.',
    },
    button: { en: 'Send the email', es: 'Enviar el correo' },
  },
  done: {
    created: { en: 'The link is ready for the patient.', es: 'El enlace está listo para el paciente.' },
    cancelled: { en: 'The link is canceled.', es: 'El enlace está cancelado.' },
    sent: { en: 'The email is on its way.', es: 'El correo está en camino.' },
  },
  home: {
    text: { en: 'Ask a patient for a payment, or look one up.', es: 'Pida un pago a un paciente o busque uno.' },
    lookUp: { en: 'See what patients owe and have paid.', es: 'Vea lo que los pacientes deben y han pagado.' },
  },
};
