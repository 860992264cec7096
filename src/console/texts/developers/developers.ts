import type { StatusClass } from '../../../keys/list-requests.ts';
import type { Both } from '../../../pages/texts/languages.ts';
import { endpoints } from './endpoints.ts';
import { keys } from './keys.ts';

export const developers = {
  title: { en: 'Developers', es: 'Desarrollo' },
  tabs: {
    home: { en: 'Keys and endpoints', es: 'Claves y puntos de conexión' },
    deliveries: { en: 'Deliveries', es: 'Entregas' },
    requests: { en: 'API requests', es: 'Solicitudes a la API' },
    events: { en: 'Events', es: 'Eventos' },
    debugger: { en: 'Check a signature', es: 'Comprobar una firma' },
  },
  lead: {
    en: 'Programs of your practice use the API with a key, and receive events at webhook endpoints.',
    es: 'Los programas de su consultorio usan la API con una clave, y reciben eventos en puntos de conexión.',
  },
  first: {
    title: { en: 'First steps', es: 'Primeros pasos' },
    steps: [
      {
        en: 'Create an API key in test data. Nothing that it does moves money.',
        es: 'Cree una clave de API en los datos de prueba. Nada de lo que haga mueve dinero.',
      },
      {
        en: 'Follow the quickstart: create a payment link and pay it with a test card.',
        es: 'Siga la guía de inicio: cree un enlace de pago y páguelo con una tarjeta de prueba.',
      },
      { en: 'Add an endpoint, and send it a test event.', es: 'Añada un punto de conexión y envíele una prueba.' },
      {
        en: 'Switch to live data and create a live key when your program works.',
        es: 'Cuando su programa funcione, cambie a los datos reales y cree una clave real.',
      },
    ],
    quickstart: { en: 'Open the quickstart', es: 'Abrir la guía de inicio (en inglés)' },
    reference: { en: 'Open the API reference', es: 'Abrir la referencia de la API (en inglés)' },
  },
  copy: { en: 'Copy', es: 'Copiar' },
  copied: { en: 'Copied', es: 'Copiado' },
  refusals: {
    endpoint_disabled: { en: 'The endpoint is disabled. Enable it first.', es: 'Active primero el punto de conexión.' },
    webhooks_unavailable: {
      en: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
      es: 'Por ahora no se pueden leer ni guardar secretos. Inténtelo más tarde o avise al operador.',
    },
    no_name: {
      en: 'Enter a name of at most 60 characters, without invisible marks of direction.',
      es: 'Escriba un nombre de hasta 60 caracteres, sin marcas invisibles de dirección.',
    },
    no_scope: {
      en: 'Choose at least one permission. A key without any could do nothing.',
      es: 'Elija al menos un permiso. Una clave sin ninguno no podría hacer nada.',
    },
    unknown_location: { en: 'Choose a location in use, or all.', es: 'Elija una sede en uso, o todas.' },
    expiry_past: { en: 'Enter a day in the future, or leave it empty.', es: 'Escriba un día futuro o déjelo vacío.' },
    sent_before: {
      en: 'This form was sent before, and nothing was created a second time. If you did not copy the key, revoke it and create another.',
      es: 'Este formulario ya se envió, y no se creó nada por segunda vez. Si no copió la clave, revóquela y cree otra.',
    },
    key_not_shown: {
      en: 'This key cannot be shown again. Create a new one, and revoke this one.',
      es: 'Esta clave no se puede mostrar de nuevo. Cree una nueva y revoque esta.',
    },
    live_key: {
      en: 'In this practice, only owners and administrators create live keys.',
      es: 'En este consultorio, solo titulares y administradores crean claves reales.',
    },
    no_event: {
      en: 'Choose all types, or only these and at least one of them.',
      es: 'Elija todos los tipos, o solo estos y al menos uno de ellos.',
    },
    description_invalid: {
      en: 'A note has at most 500 characters, without special control characters.',
      es: 'Una nota tiene como máximo 500 caracteres, sin caracteres de control.',
    },
    limit_reached: { en: 'Ten endpoints is the limit. Delete one first.', es: 'Diez es el límite. Elimine uno antes.' },
    rotated_before: {
      en: 'The secret was replaced since you opened the page. Nothing was changed. Look at the new secret.',
      es: 'El secreto se cambió después de que abriera la página. No se cambió nada. Vea el secreto nuevo.',
    },
    since_invalid: { en: 'Enter a day and a time.', es: 'Escriba un día y una hora.' },
    since_outside: { en: 'Enter a time of the last 30 days.', es: 'Escriba un momento de los últimos 30 días.' },
  },
  cooldown: (minutes: number) => ({
    en: `Events of this endpoint were sent again less than ten minutes ago. Try again in ${minutes} min.`,
    es: `Los eventos de este punto de conexión se reenviaron hace menos de diez minutos. Inténtelo de nuevo dentro de ${minutes} min.`,
  }),
  done: {
    revoked: { en: 'The key is revoked. It no longer works.', es: 'La clave está revocada y ya no funciona.' },
    created: {
      en: 'The endpoint receives events from now on. Show its secret to check signatures.',
      es: 'El punto de conexión recibe eventos desde ahora. Muestre su secreto para comprobar las firmas.',
    },
    enabled: {
      en: 'The endpoint is enabled. To send what it missed, start a replay.',
      es: 'El punto de conexión está activado. Para enviar los eventos que le faltan, recupérelos.',
    },
    disabled: {
      en: 'The endpoint is disabled. Nothing more is sent to it.',
      es: 'El punto de conexión está desactivado. No se le envía nada más.',
    },
    deleted: { en: 'The endpoint and its deliveries are gone.', es: 'El punto y sus entregas se eliminaron.' },
  },
  doneReplay: (count: number) => ({ en: `Events on their way: ${count}.`, es: `Eventos en camino: ${count}.` }),
  keys,
  endpoints,
  events: {
    when: { en: 'It is sent when', es: 'Se envía cuando' },
    ping: { en: 'you send a test event', es: 'usted envía un evento de prueba' },
    example: { en: 'Example', es: 'Ejemplo' },
    fields: { en: 'All fields, in the API reference', es: 'Todos los campos, en la referencia de la API (en inglés)' },
    contract: { en: 'The whole contract (OpenAPI)', es: 'El contrato completo (OpenAPI)' },
    send: {
      title: { en: 'Send it', es: 'Enviarlo' },
      text: {
        en: 'The endpoint gets this example as an event of test data. Its payment link does not exist.',
        es: 'El punto de conexión recibe este ejemplo como evento de los datos de prueba. Su enlace de pago no existe.',
      },
      ping: { en: 'The endpoint gets a ping.', es: 'El punto de conexión recibe un ping.' },
      live: {
        en: 'Examples are sent in test data only, so that no program takes one for a payment.',
        es: 'Los ejemplos solo se envían en los datos de prueba, para que ningún programa los tome por un pago.',
      },
      none: { en: 'There is no enabled endpoint.', es: 'No hay ningún punto de conexión activado.' },
      button: { en: 'Send the example', es: 'Enviar el ejemplo' },
    },
  },
  requests: {
    lead: {
      en: 'Requests of your keys in the last three days, the newest first. New ones appear after a few seconds.',
      es: 'Solicitudes de sus claves en los últimos tres días, las más recientes primero. Las nuevas aparecen en unos segundos.',
    },
    omitted: (count: number) => ({
      en: `Busy keys: each server keeps at most ${count} requests with an error and ${count} without per minute. Requests without a valid key are not here.`,
      es: `Claves muy usadas: cada servidor guarda por minuto como máximo ${count} solicitudes con error y ${count} sin error. Las solicitudes sin una clave válida no están aquí.`,
    }),
    id: { en: 'Request id', es: 'Id de la solicitud' },
    classes: {
      '2': { en: '2xx: success', es: '2xx: correctas' },
      '4': { en: '4xx: refused', es: '4xx: rechazadas' },
      '5': { en: '5xx: failed', es: '5xx: fallidas' },
      refused: { en: 'All errors', es: 'Todos los errores' },
    } satisfies Record<StatusClass, Both>,
  },
};
