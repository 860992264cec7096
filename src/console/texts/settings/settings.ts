import type { Both } from '../../../pages/texts/languages.ts';
import type { LogoRefusal } from '../../../practices/logo-image.ts';
import type { NotificationKind } from '../../../practices/recipient.entity.ts';
import { account } from './account.ts';

export const settings = {
  title: { en: 'Settings', es: 'Ajustes' },
  lead: {
    en: 'What patients see of your practice on payment pages and receipts.',
    es: 'Lo que los pacientes ven de su consultorio en las páginas de pago y en los recibos.',
  },
  practice: {
    title: { en: 'Practice', es: 'Consultorio' },
    name: { en: 'Name of the practice', es: 'Nombre del consultorio' },
    phone: { en: 'Phone for patients', es: 'Teléfono para pacientes' },
    phoneHelp: {
      en: 'With + and country code, such as +12025550143. Leave it empty for none.',
      es: 'Con + y código de país, como +12025550143. Déjelo vacío si no hay ninguno.',
    },
    postalAddress: { en: 'Postal address', es: 'Dirección postal' },
    postalAddressHelp: {
      en: 'It appears on receipts. At most five lines. Leave it empty for none.',
      es: 'Aparece en los recibos. Cinco líneas como máximo. Déjela vacía si no hay ninguna.',
    },
  },
  keys: {
    title: { en: 'Live API keys', es: 'Claves de API reales' },
    text: {
      en: 'A live key gets names and contact details of patients, in answers or in webhooks.',
      es: 'Una clave real obtiene nombres y datos de contacto de los pacientes, en respuestas o en webhooks.',
    },
    label: { en: 'Only owners and administrators create them', es: 'Solo las crean titulares y administradores' },
  },
  color: {
    title: 'Color',
    text: {
      en: 'The color of the buttons on your payment pages. The text on them is white.',
      es: 'El color de los botones de sus páginas de pago. El texto sobre ellos es blanco.',
    },
    color: 'Color',
    colorHelp: {
      en: 'Six digits as in a style guide, such as #0b4f6c. Leave it empty for the standard color.',
      es: 'Seis cifras como en una guía de estilo, por ejemplo #0b4f6c. Déjelo vacío para el color normal.',
    },
    standard: { en: 'Your pages have the standard color.', es: 'Sus páginas tienen el color normal.' },
    button: { en: 'Save the color', es: 'Guardar el color' },
    malformed: {
      en: 'Enter the color as # and six digits from 0 to 9 and a to f, such as #0b4f6c.',
      es: 'Escriba el color con # y seis cifras de 0 a 9 y de a a f, como #0b4f6c.',
    },
    tooLight: (color: string, nearest: string) => ({
      en: `White text on ${color} is hard to read. The nearest color that works is ${nearest}.`,
      es: `El texto blanco sobre ${color} se lee mal. El color más próximo que funciona es ${nearest}.`,
    }),
  },
  logo: {
    title: { en: 'Logo', es: 'Logotipo' },
    text: {
      en: 'Your logo appears at the top of payment pages and receipts, on white.',
      es: 'Su logotipo aparece arriba en las páginas de pago y en los recibos, sobre fondo blanco.',
    },
    current: { en: 'Your logo', es: 'Su logotipo' },
    none: { en: 'Your pages have no logo yet.', es: 'Sus páginas aún no tienen logotipo.' },
    logo: { en: 'Picture', es: 'Imagen' },
    logoHelp: {
      en: 'PNG, JPEG or WebP of at most 1 MB. It is scaled to at most 480 × 160 pixels.',
      es: 'PNG, JPEG o WebP de 1 MB como máximo. Se reduce a 480 × 160 píxeles como máximo.',
    },
    button: { en: 'Use this logo', es: 'Usar este logotipo' },
    remove: {
      label: { en: 'Yes, remove the logo from all pages', es: 'Sí, quitar el logotipo de todas las páginas' },
      button: { en: 'Remove the logo', es: 'Quitar el logotipo' },
    },
    missing: { en: 'Choose a picture first.', es: 'Elija primero una imagen.' },
    refusals: {
      not_an_image: {
        en: 'This file is not a PNG, JPEG or WebP picture. Save the logo in one of these formats.',
        es: 'Este archivo no es una imagen PNG, JPEG ni WebP. Guarde el logotipo en uno de estos formatos.',
      },
      too_many_pixels: {
        en: 'This picture has too many pixels. Save it with at most 3000 × 3000.',
        es: 'Esta imagen tiene demasiados píxeles. Guárdela con 3000 × 3000 como máximo.',
      },
      unreadable: {
        en: 'This picture is damaged or cannot be read. Save it again and repeat.',
        es: 'Esta imagen está dañada o no se puede leer. Guárdela de nuevo e inténtelo otra vez.',
      },
      busy: {
        en: 'Several pictures are being prepared at the moment. Try again in a minute.',
        es: 'En este momento se preparan varias imágenes. Inténtelo de nuevo en un minuto.',
      },
    } satisfies Record<LogoRefusal, Both>,
  },
  locations: {
    title: { en: 'Locations', es: 'Sedes' },
    lead: {
      en: 'Each payment link belongs to a location. Patients see its name and city.',
      es: 'Cada enlace de pago pertenece a una sede. Los pacientes ven su nombre y su ciudad.',
    },
    active: { en: 'In use', es: 'En uso' },
    inactive: { en: 'Out of use', es: 'Fuera de uso' },
    add: {
      title: { en: 'Add a location', es: 'Añadir una sede' },
      button: { en: 'Add the location', es: 'Añadir la sede' },
    },
    fields: {
      name: { en: 'Name of the location', es: 'Nombre de la sede' },
      city: { en: 'City', es: 'Ciudad' },
      state: { en: 'State', es: 'Estado (EE. UU.)' },
      timeZone: { en: 'Time zone', es: 'Zona horaria' },
      phone: { en: 'Phone of the location', es: 'Teléfono de la sede' },
      phoneHelp: {
        en: 'With + and country code. Leave it empty if patients call the number of the practice.',
        es: 'Con + y código de país. Déjelo vacío si los pacientes llaman al número del consultorio.',
      },
    },
    change: {
      title: (name: string) => ({ en: `Change ${name}`, es: `Cambiar ${name}` }),
      text: { en: 'Existing links show the change at once.', es: 'Los enlaces existentes la muestran de inmediato.' },
    },
    deactivate: {
      title: { en: 'Take out of use', es: 'Retirar la sede' },
      text: {
        en: 'Nobody can create links for this location anymore. Links that exist stay valid. This cannot be undone here.',
        es: 'Ya nadie podrá crear enlaces para esta sede. Los enlaces que existen siguen funcionando. Aquí no se puede deshacer.',
      },
      last: {
        en: 'It is your only location in use: without one, nobody can create links.',
        es: 'Es su única sede en uso: sin ninguna, nadie puede crear enlaces.',
      },
      label: { en: 'Yes, take this location out of use', es: 'Sí, retirar esta sede' },
      button: { en: 'Take out of use', es: 'Retirar' },
    },
  },
  tabs: {
    general: { en: 'Practice and pages', es: 'Consultorio y páginas' },
    notifications: { en: 'Notifications', es: 'Avisos' },
    account: { en: 'Payment account', es: 'Cuenta de pagos' },
  },
  notifications: {
    lead: {
      en: 'These emails need someone to act. Name up to five addresses for each kind, one per line.',
      es: 'Estos correos necesitan que alguien actúe. Indique hasta cinco direcciones por tipo, una por línea.',
    },
    kinds: {
      disputes: {
        name: { en: 'Disputes', es: 'Disputas' },
        help: {
          en: 'A patient contests a payment at the bank, or the bank has decided.',
          es: 'Un paciente reclama un pago en su banco, o el banco ha decidido.',
        },
      },
      refunds: {
        name: { en: 'Refunds', es: 'Reembolsos' },
        help: { en: 'A refund failed, or was paid twice.', es: 'Un reembolso falló o se pagó dos veces.' },
      },
      payments: {
        name: { en: 'Payments', es: 'Pagos' },
        help: {
          en: 'A payment came late or twice, does not match its link, or its outcome is unknown.',
          es: 'Un pago llegó tarde o dos veces, no corresponde a su enlace, o se desconoce su resultado.',
        },
      },
      webhooks: {
        name: { en: 'Webhooks', es: 'Webhooks' },
        help: { en: 'An endpoint fails or was disabled.', es: 'Un punto de conexión falla o se desactivó.' },
      },
    } satisfies Record<NotificationKind, { name: Both; help: Both }>,
    standard: (email: string) => ({
      en: `Leave it empty to send these emails to ${email}.`,
      es: `Déjelo vacío para enviar estos correos a ${email}.`,
    }),
    refused: (kind: string) => ({
      en: `${kind}: enter at most five email addresses, one per line, such as ada@example.com.`,
      es: `${kind}: escriba cinco direcciones como máximo, una por línea, como ada@example.com.`,
    }),
  },
  account,
  done: {
    logo: { en: 'The logo is saved.', es: 'El logotipo está guardado.' },
    logo_removed: { en: 'The logo is removed.', es: 'El logotipo ya no aparece.' },
    location_added: { en: 'The location is added.', es: 'La sede está añadida.' },
    location_repeated: {
      en: 'This form was sent before. Nothing was added a second time.',
      es: 'Este formulario ya se había enviado. No se añadió nada por segunda vez.',
    },
    location_deactivated: { en: 'The location is out of use.', es: 'La sede está fuera de uso.' },
  },
  refusals: {
    name: {
      en: 'Enter a name of at most 200 characters, without invisible marks of direction.',
      es: 'Escriba un nombre de 200 caracteres como máximo, sin marcas invisibles de dirección.',
    },
    phone: {
      en: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
      es: 'Escriba un teléfono como (202) 555-0143 o deje el campo vacío.',
    },
    postalAddress: {
      en: 'Enter up to five lines of 100 characters, without invisible marks of direction.',
      es: 'Hasta cinco líneas de 100 caracteres, sin marcas invisibles de dirección.',
    },
    city: {
      en: 'Enter a city, without invisible marks of direction.',
      es: 'Escriba una ciudad, sin marcas invisibles de dirección.',
    },
    state: { en: 'Enter the letters of a US state, such as IL.', es: 'Escriba las letras de un estado, como IL.' },
    timeZone: { en: 'Choose a time zone.', es: 'Elija una zona horaria.' },
    statementDescriptorSuffix: {
      en: 'Enter at most 10 characters with at least one letter. Accents and these characters do not work: < > \\ \' " *',
      es: 'Escriba 10 caracteres como máximo, con una letra por lo menos. No se admiten acentos, eñes ni estos signos: < > \\ \' " *',
    },
  },
};
