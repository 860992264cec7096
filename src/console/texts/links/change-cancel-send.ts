import type { Both } from '../../../pages/texts/languages.ts';
import type { CancelReason } from '../../../payment-links/staff/create-and-change.ts';

export const change = {
  title: { en: 'Change the link', es: 'Cambiar el enlace' },
  lead: {
    en: 'The address stays the same. The patient’s name cannot be changed: cancel the link and create a new one.',
    es: 'La dirección no cambia. El nombre del paciente no se puede cambiar: cancele el enlace y cree otro.',
  },
  until: (day: string) => ({ en: `As before, until ${day}`, es: `Como antes, hasta el ${day}` }),
  underWay: { en: 'A new amount cancels the payment under way.', es: 'Un monto nuevo cancela el pago en curso.' },
};

export const cancel = {
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
};

export const send = {
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
};
