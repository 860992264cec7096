import type { SettingsTexts } from './en.ts';

/** The Spanish texts of the settings. */
export const settings: SettingsTexts = {
  title: 'Ajustes',
  lead: 'Lo que los pacientes ven de su consulta en las páginas de pago y en los recibos.',
  practice: {
    title: 'Consulta',
    name: 'Nombre de la consulta',
    phone: 'Teléfono para pacientes',
    phoneHelp: 'Con + y código de país, como +12025550143. Déjelo vacío si no hay ninguno.',
    address: 'Dirección postal',
    addressHelp: 'Aparece en los recibos. Cinco líneas como máximo. Déjela vacía si no hay ninguna.',
    button: 'Guardar',
  },
  color: {
    title: 'Color',
    text: 'El color de los botones de sus páginas de pago. El texto sobre ellos es blanco.',
    label: 'Color',
    help: 'Seis cifras como en una guía de estilo, por ejemplo #0b4f6c. Déjelo vacío para el color normal.',
    standard: 'Sus páginas tienen el color normal.',
    button: 'Guardar el color',
    malformed: 'Escriba el color con # y seis cifras de 0 a 9 y de a a f, como #0b4f6c.',
    tooLight: (color, nearest) =>
      `El texto blanco sobre ${color} se lee mal. El color más próximo que funciona es ${nearest}.`,
  },
  logo: {
    title: 'Logotipo',
    text: 'Su logotipo aparece arriba en las páginas de pago y en los recibos, sobre blanco.',
    current: 'Su logotipo',
    none: 'Sus páginas aún no tienen logotipo.',
    label: 'Imagen',
    help: 'PNG, JPEG o WebP de 1 MB como máximo. Se reduce a 480 × 160 píxeles como máximo.',
    button: 'Usar este logotipo',
    remove: {
      label: 'Sí, quitar el logotipo de todas las páginas',
      button: 'Quitar el logotipo',
      notConfirmed: 'Marque la casilla para confirmar que se quita el logotipo.',
    },
    missing: 'Elija primero una imagen.',
    refusals: {
      not_an_image: 'Este archivo no es una imagen PNG, JPEG ni WebP. Guarde el logotipo en uno de estos formatos.',
      too_many_pixels: 'Esta imagen tiene demasiados píxeles. Guárdela con 4000 × 4000 como máximo.',
      unreadable: 'Esta imagen está dañada o no se puede leer. Guárdela de nuevo y repita.',
      busy: 'En este momento se preparan varias imágenes. Inténtelo de nuevo en un minuto.',
    },
  },
  locations: {
    title: 'Sedes',
    lead: 'Cada enlace de pago pertenece a una sede. Los pacientes ven su nombre y su ciudad.',
    table: {
      name: 'Nombre',
      place: 'Ciudad',
      zone: 'Zona horaria',
      phone: 'Teléfono',
      status: 'Estado',
      actions: 'Cambiar',
    },
    active: 'En uso',
    inactive: 'Fuera de uso',
    edit: 'Cambiar',
    editLabel: (name) => `Cambiar ${name}`,
    add: { title: 'Añadir una sede', button: 'Añadir la sede' },
    fields: {
      name: 'Nombre de la sede',
      city: 'Ciudad',
      state: 'Estado (EE. UU.)',
      timeZone: 'Zona horaria',
      phone: 'Teléfono de la sede',
      phoneHelp: 'Con + y código de país. Déjelo vacío si los pacientes llaman al número de la consulta.',
    },
    zones: {
      'America/New_York': 'Hora del Este (Nueva York)',
      'America/Chicago': 'Hora central (Chicago)',
      'America/Denver': 'Hora de montaña (Denver)',
      'America/Phoenix': 'Hora de montaña sin horario de verano (Phoenix)',
      'America/Los_Angeles': 'Hora del Pacífico (Los Ángeles)',
      'America/Anchorage': 'Hora de Alaska (Anchorage)',
      'Pacific/Honolulu': 'Hora de Hawái (Honolulu)',
      'America/Puerto_Rico': 'Hora del Atlántico (Puerto Rico)',
      'Pacific/Guam': 'Hora de Guam',
    },
    change: {
      title: (name) => `Cambiar ${name}`,
      text: 'Los enlaces que ya existen muestran los nuevos datos de inmediato.',
      button: 'Guardar',
    },
    deactivate: {
      title: 'Retirar la sede',
      text: 'Ya nadie podrá crear enlaces para esta sede. Los enlaces que existen siguen valiendo. Aquí no se puede deshacer.',
      last: 'Es su única sede en uso: sin ninguna, nadie puede crear enlaces.',
      label: 'Sí, retirar esta sede',
      button: 'Retirar',
      notConfirmed: 'Marque la casilla para confirmar que la sede se retira.',
    },
  },
  done: {
    practice: 'Los datos de la consulta están guardados.',
    color: 'El color está guardado.',
    logo: 'El logotipo está guardado.',
    logo_removed: 'El logotipo ya no aparece.',
    location_added: 'La sede está añadida.',
    location_changed: 'La sede está guardada.',
    location_deactivated: 'La sede está fuera de uso.',
  },
  refusals: {
    name: 'Escriba un nombre de 200 caracteres como máximo.',
    phone: 'Escriba el teléfono con + y código de país, como +12025550143.',
    postalAddress: 'Escriba la dirección en cinco líneas de 100 caracteres como máximo.',
    city: 'Escriba una ciudad.',
    state: 'Escriba un estado, como IL.',
    timeZone: 'Elija una zona horaria.',
  },
};

/** Acts of the settings in the audit log. */
export const settingsActs: Readonly<Record<string, string>> = {
  'settings.changed': 'Cambió los ajustes',
  'logo.changed': 'Cambió el logotipo',
  'location.changed': 'Cambió una sede',
};

/** Fields of the settings in the audit log. */
export const settingsFields: Readonly<Record<string, string>> = {
  name: 'nombre',
  phone: 'teléfono',
  postalAddress: 'dirección postal',
  brandColor: 'color',
  logoHash: 'logotipo',
  city: 'ciudad',
  state: 'estado',
  timeZone: 'zona horaria',
  active: 'en uso',
};
