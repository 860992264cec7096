import type { PaymentLinkEventType } from '../../../contract/operations-type.ts';
import type { Both } from '../../../pages/texts/languages.ts';
import type { UrlReason } from '../../../webhooks/send/destination.ts';

export const endpoints = {
  title: { en: 'Webhook endpoints', es: 'Puntos de conexión de webhooks' },
  empty: { en: 'There is no endpoint yet.', es: 'Todavía no hay ningún punto de conexión.' },
  url: { en: 'Address (URL)', es: 'Dirección (URL)' },
  urlHelp: {
    en: 'An https address that everyone can reach, such as https://billing.example.com/hooks.',
    es: 'Una dirección https a la que todos llegan, como https://billing.example.com/hooks.',
  },
  urlFaults: {
    too_long: { en: 'Use at most 2,048 characters.', es: 'Use 2,048 caracteres como máximo.' },
    forbidden_character: {
      en: 'The address has white space, a control character or a backslash.',
      es: 'La dirección tiene espacios, un carácter de control o una barra inversa.',
    },
    not_ascii: {
      en: 'Write the host in Punycode (xn--…), and other letters with accents as %-escapes, such as %C3%A9.',
      es: 'Escriba el servidor en Punycode (xn--…) y las demás letras con acento como %C3%A9.',
    },
    invalid_url: {
      en: 'Enter an address such as https://billing.example.com/hooks.',
      es: 'Escriba una dirección como https://billing.example.com/hooks.',
    },
    not_https: { en: 'The address must begin with https://.', es: 'La dirección debe empezar con https://.' },
    credentials: { en: 'The address must have no user or password.', es: 'No se admite usuario ni contraseña.' },
    fragment: { en: 'The address must have no part after “#”.', es: 'La dirección no admite una parte tras «#».' },
    trailing_dot: { en: 'The host must not end with a dot.', es: 'El servidor no debe terminar con un punto.' },
    bare_host: { en: 'The host needs a public name, with a dot.', es: 'El servidor necesita un nombre público.' },
    internal_name: { en: 'The host is a name of private networks.', es: 'El servidor es de redes privadas.' },
    not_public: { en: 'The address must lead to public networks.', es: 'La dirección debe llevar a redes públicas.' },
  } satisfies Record<UrlReason, Both>,
  allEvents: { en: 'All types, also future ones', es: 'Todos los tipos, también los futuros' },
  someEvents: { en: 'Only these types', es: 'Solo estos tipos' },
  eventTexts: {
    'payment_link.processing': { en: 'a bank debit is under way', es: 'un débito bancario está en curso' },
    'payment_link.paid': { en: 'a link is paid', es: 'un enlace está pagado' },
    'payment_link.failed': { en: 'a bank debit failed', es: 'un débito bancario falló' },
    'payment_link.refunded': { en: 'money was given back', es: 'se reembolsó dinero' },
    'payment_link.disputed': { en: 'a bank questions a payment', es: 'un banco cuestiona un pago' },
    'payment_link.dispute_closed': { en: 'the bank has decided', es: 'el banco decidió' },
    'payment_link.expired': { en: 'a link was not paid in time', es: 'un enlace venció sin pago' },
    'payment_link.cancelled': { en: 'a link was canceled', es: 'un enlace se canceló' },
  } satisfies Record<PaymentLinkEventType, Both>,
  locationHelp: {
    en: 'The endpoint gets events of links of this location. It cannot be changed later.',
    es: 'El punto de conexión recibe los eventos de los enlaces de esta sede. No se puede cambiar después.',
  },
  description: { en: 'Note (optional)', es: 'Nota (opcional)' },
  descriptionHelp: { en: 'For you, such as the name of the program.', es: 'Para usted, como el nombre del programa.' },
  enabled: { en: 'Enabled', es: 'Activado' },
  disabled: { en: 'Disabled', es: 'Desactivado' },
  failing: { en: 'Enabled, failing', es: 'Activado, falla' },
  arrived: { en: 'Arrived in 7 days', es: 'Llegaron en 7 días' },
  noEvents: { en: 'No events', es: 'Ningún evento' },
  share: (percent: number, arrived: number, total: number) => ({
    en: `${percent}% (${arrived.toLocaleString('en')} of ${total.toLocaleString('en')})`,
    es: `${percent}% (${arrived.toLocaleString('es-US')} de ${total.toLocaleString('es-US')})`,
  }),
  lastFailure: { en: 'Last failure', es: 'Último fallo' },
  disabledByFailures: (count: number) => ({
    en: `The service disabled it: ${count} events in a row did not arrive, after eight attempts each.`,
    es: `El servicio lo desactivó: ${count} eventos seguidos no llegaron, tras ocho intentos cada uno.`,
  }),
  disabledByPractice: { en: 'The practice or an API key disabled it.', es: 'Lo desactivó el consultorio o una clave.' },
  add: { en: 'Add a webhook endpoint', es: 'Añadir un punto de conexión' },
  oneTitle: { en: 'Webhook endpoint', es: 'Punto de conexión' },
  create: { en: 'Add the endpoint', es: 'Añadir el punto de conexión' },
  afterCreate: {
    en: 'Afterward you can see its secret, with which your program checks signatures.',
    es: 'Después puede ver su secreto, con el que su programa comprueba las firmas.',
  },
  test: {
    title: { en: 'Test', es: 'Prueba' },
    text: {
      en: 'Sends the event “ping”. Your program must answer with a status from 200 to 299 within ten seconds.',
      es: 'Envía el evento «ping». Su programa debe responder con un estado de 200 a 299 en diez segundos.',
    },
    button: { en: 'Send a test event', es: 'Enviar un evento de prueba' },
  },
  examples: { en: 'Other example events', es: 'Otros eventos de ejemplo' },
  deliveries: { en: 'Deliveries of this endpoint', es: 'Entregas de este punto de conexión' },
  secret: {
    title: { en: 'Secret', es: 'Secreto' },
    text: {
      en: 'Your program checks the signature of each event with it. The audit log records who saw it.',
      es: 'Su programa comprueba con él la firma de cada evento. El registro de actividad guarda quién lo vio.',
    },
    former: (until: string) => ({
      en: `The former secret signs, too, until ${until}.`,
      es: `El secreto anterior también firma, hasta el ${until}.`,
    }),
    show: { en: 'Show the secret', es: 'Mostrar el secreto' },
    rotate: { en: 'Replace the secret', es: 'Cambiar el secreto' },
    rotateText: {
      en: 'The former secret signs in addition for 24 hours. An even older one stops at once.',
      es: 'El secreto anterior firma también durante 24 horas. Uno más antiguo deja de firmar de inmediato.',
    },
    label: { en: 'Yes, replace the secret', es: 'Sí, cambiar el secreto' },
    shownTitle: { en: 'Secret of the endpoint', es: 'Secreto del punto de conexión' },
    shown: { en: 'Keep it where only your program reads it.', es: 'Guárdelo donde solo lo lea su programa.' },
    rotated: { en: 'For 24 hours, the former one signs, too.', es: 'Durante 24 horas, el anterior firma también.' },
  },
  replay: {
    title: { en: 'Replay', es: 'Recuperación de eventos' },
    text: {
      en: 'Sends events that never arrived since a time, and those that the endpoint missed. At most 1,000 events, 30 days back, once in ten minutes.',
      es: 'Envía los eventos que no llegaron desde un momento, y los que le faltan al punto de conexión. Como máximo 1,000 eventos, de 30 días, una vez cada diez minutos.',
    },
    preview: { en: 'Count the events', es: 'Contar los eventos' },
    counts: (queued: number, added: number) => ({
      en: `Events to send again: ${queued}. Missed events to add: ${added}.`,
      es: `Eventos que se envían de nuevo: ${queued}. Eventos que faltan: ${added}.`,
    }),
    nothing: { en: 'There is nothing to send.', es: 'No hay nada que enviar.' },
    capped: {
      en: 'There are more events. Repeat the replay after ten minutes for the next ones.',
      es: 'Hay más eventos. Recupere los siguientes después de diez minutos.',
    },
    label: { en: 'Yes, send these events', es: 'Sí, enviar estos eventos' },
    button: { en: 'Start the replay', es: 'Recuperar los eventos' },
    open: { en: 'Replay missed events', es: 'Recuperar los eventos que faltan' },
  },
  enable: {
    title: { en: 'Enable', es: 'Activar' },
    text: {
      en: 'Events from now on are sent. Those of the time in between need a replay.',
      es: 'Se envían los eventos desde ahora. Los anteriores se pueden recuperar.',
    },
  },
  disable: {
    title: { en: 'Disable', es: 'Desactivar' },
    text: {
      en: 'Nothing more is sent. Events that wait are skipped; a replay can send them later.',
      es: 'No se envía nada más. Los eventos que esperan se omiten; después se pueden recuperar.',
    },
    label: { en: 'Yes, disable this endpoint', es: 'Sí, desactivar este punto de conexión' },
  },
  remove: {
    title: { en: 'Delete', es: 'Eliminar' },
    text: {
      en: 'The endpoint, its secret and the history of its deliveries disappear. This cannot be undone.',
      es: 'El punto de conexión, su secreto y el historial de sus entregas desaparecen. No se puede deshacer.',
    },
    label: { en: 'Yes, delete this endpoint', es: 'Sí, eliminar este punto de conexión' },
  },
};
