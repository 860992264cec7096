import type { ApiScope } from '../../../contract/operations-type.ts';
import type { Both } from '../../../pages/texts/languages.ts';

export const keys = {
  title: { en: 'API keys', es: 'Claves de API' },
  empty: { en: 'There is no key yet.', es: 'Todavía no hay ninguna clave.' },
  scopes: { en: 'Permissions', es: 'Permisos' },
  creator: { en: 'Created by', es: 'Creada por' },
  expires: { en: 'Expires', es: 'Vence' },
  states: {
    active: { en: 'Active', es: 'Activa' },
    expired: { en: 'Expired', es: 'Vencida' },
    revoked: { en: 'Revoked', es: 'Revocada' },
  },
  name: (lastFour: string) => ({ en: `Key …${lastFour}`, es: `Clave …${lastFour}` }),
  naming: {
    label: { en: 'Name of the key', es: 'Nombre de la clave' },
    hint: { en: 'Its program, such as “Billing import”.', es: 'Su programa, por ejemplo «Facturación».' },
  },
  limit: { en: 'Limit', es: 'Límite' },
  limitText: (count: number) => ({ en: `${count} requests per minute`, es: `${count} solicitudes por minuto` }),
  add: { en: 'Create an API key', es: 'Crear una clave de API' },
  scopeTexts: {
    'payment_links:read': { en: 'Read payment links', es: 'Leer enlaces de pago' },
    'payment_links:write': {
      en: 'Create, change and cancel payment links',
      es: 'Crear, cambiar y cancelar enlaces de pago',
    },
    'webhooks:manage': { en: 'Manage webhook endpoints', es: 'Administrar puntos de conexión' },
  } satisfies Record<ApiScope, Both>,
  form: {
    scopesHelp: {
      en: 'Give a key only what its program needs. A live key that reads payment links reads the names and contact details of all patients.',
      es: 'Dé a cada clave solo lo que su programa necesita. Una clave real que lee enlaces de pago lee los nombres y datos de contacto de todos los pacientes.',
    },
    expiry: { en: 'Last day (optional)', es: 'Último día (opcional)' },
    expiryHelp: { en: 'The key works until the end of this day.', es: 'La clave funciona hasta el final del día.' },
    button: { en: 'Create the key', es: 'Crear la clave' },
  },
  shown: {
    title: { en: 'Your new API key', es: 'Su clave de API nueva' },
    live: {
      en: 'Copy the key now. It is shown this one time only. Keep it where only your program reads it.',
      es: 'Copie la clave ahora. Se muestra esta única vez. Guárdela donde solo la lea su programa.',
    },
    test: { en: 'Keep it where only your program reads it.', es: 'Guárdela donde solo la lea su programa.' },
    label: { en: 'API key', es: 'Clave de API' },
  },
  show: {
    title: { en: 'Show the key', es: 'Mostrar la clave' },
    text: {
      en: 'Test keys can be shown again. The audit log records it.',
      es: 'Las claves de prueba se pueden mostrar de nuevo. Queda en el registro de actividad.',
    },
    button: { en: 'Show', es: 'Mostrar' },
  },
  revoke: {
    title: { en: 'Revoke the key', es: 'Revocar la clave' },
    text: {
      en: 'Programs that use it are refused at their next request. This cannot be undone.',
      es: 'Se rechaza la próxima solicitud de los programas que la usan. No se puede deshacer.',
    },
    label: { en: 'Yes, revoke this key', es: 'Sí, revocar esta clave' },
    button: { en: 'Revoke', es: 'Revocar' },
  },
  requests: { en: 'Requests of this key', es: 'Solicitudes de esta clave' },
};
