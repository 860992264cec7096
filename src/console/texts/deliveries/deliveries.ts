import type { EventType, WebhookAttemptError } from '../../../contract/operations-type.ts';
import type { Both } from '../../../pages/texts/languages.ts';
import type { FailedCount } from '../../../webhooks/events/replay.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { signatures } from './debugger.ts';
import { reasons } from './reasons.ts';

export const deliveries = {
  title: { en: 'Webhook deliveries', es: 'Entregas de webhooks' },
  empty: {
    en: 'No event was sent yet. Pay or cancel a link, or send a test event from the page of an endpoint: it appears here.',
    es: 'Todavía no se ha enviado ningún evento. Pague o cancele un enlace, o envíe un evento de prueba desde la página de un punto de conexión: aparece aquí.',
  },
  filter: {
    link: { en: 'Payment link (id)', es: 'Enlace de pago (id)' },
    invalid: {
      en: 'A value of the filter is not valid. Ids of links begin with plink_.',
      es: 'Un valor del filtro no es válido. Los id de los enlaces empiezan por plink_.',
    },
  },
  table: {
    endpoint: { en: 'Endpoint', es: 'Punto de conexión' },
    attempts: { en: 'Attempts', es: 'Intentos' },
    last: { en: 'Last answer', es: 'Última respuesta' },
  },
  openLabel: (id: string) => ({ en: `Why? Details of ${id}`, es: `¿Por qué? Detalles de ${id}` }),
  total: (count: string) => ({ en: `Deliveries: ${count}`, es: `Entregas: ${count}` }),
  statuses: {
    pending: { en: 'Pending', es: 'Pendiente' },
    retrying: { en: 'Retrying', es: 'Reintentando' },
    delivered: { en: 'Delivered', es: 'Entregada' },
    exhausted: { en: 'Failed', es: 'Fallida' },
    skipped: { en: 'Skipped', es: 'Omitida' },
  } satisfies Record<DeliveryStatus, Both>,
  types: {
    'payment_link.processing': { en: 'Bank debit submitted', es: 'Débito bancario en curso' },
    'payment_link.paid': { en: 'Paid', es: 'Pagado' },
    'payment_link.failed': { en: 'Bank debit failed', es: 'Débito bancario fallido' },
    'payment_link.refunded': { en: 'Refunded', es: 'Reembolsado' },
    'payment_link.disputed': { en: 'Disputed', es: 'Disputado' },
    'payment_link.dispute_closed': { en: 'Dispute closed', es: 'Disputa cerrada' },
    'payment_link.expired': { en: 'Expired', es: 'Vencido' },
    'payment_link.cancelled': { en: 'Canceled', es: 'Cancelado' },
    ping: { en: 'Test ping', es: 'Ping de prueba' },
  } satisfies Record<EventType, Both>,
  errors: {
    timeout: {
      en: 'No answer within 10 seconds. Answer first, then do the work.',
      es: 'No hubo respuesta en 10 segundos. Responda primero y haga el trabajo después.',
    },
    dns_error: {
      en: 'The host name could not be resolved. Check the address of the endpoint and its DNS.',
      es: 'No se pudo resolver el nombre del servidor. Revise la dirección y su DNS.',
    },
    connection_error: {
      en: 'No connection, or it broke. Is the server running, and reachable from the internet?',
      es: 'No hubo conexión, o se cortó. ¿Está el servidor en marcha y accesible desde internet?',
    },
    tls_error: {
      en: 'The TLS handshake failed. Check the certificate: its date, its host name and its chain.',
      es: 'La conexión TLS falló. Revise el certificado: su fecha, su nombre y su cadena.',
    },
    blocked_address: {
      en: 'The host leads to an address that is not public. Webhooks go to public addresses only.',
      es: 'El nombre lleva a una dirección que no es pública. Los webhooks solo van a direcciones públicas.',
    },
    invalid_response: {
      en: 'The answer was not HTTP. Is another service listening on this port?',
      es: 'La respuesta no era HTTP. ¿Hay otro servicio en este puerto?',
    },
    interrupted: {
      en: 'Our service was stopped during the attempt. The event may have arrived.',
      es: 'Nuestro servicio se detuvo durante el intento. Es posible que el evento haya llegado.',
    },
  } satisfies Record<Exclude<WebhookAttemptError, 'http_status'>, Both>,
  httpStatus: (status: number | null) => ({
    en: `The endpoint answered ${status ?? '–'} instead of 2xx.${statusAdvice(status).en}`,
    es: `El punto de conexión respondió ${status ?? '–'} en lugar de 2xx.${statusAdvice(status).es}`,
  }),
  otherError: { en: 'The attempt failed.', es: 'El intento falló.' },
  accepted: (status: number | '2xx') => ({ en: `Accepted with ${status}`, es: `Aceptado con ${status}` }),
  underWay: { en: 'Under way', es: 'En curso' },
  notTried: { en: 'Not tried yet', es: 'Sin intentos todavía' },
  failing: {
    title: { en: 'Failing webhooks', es: 'Webhooks que fallan' },
    lead: (since: string) => ({
      en: `Events since ${since} that did not arrive.`,
      es: `Eventos desde el ${since} que no llegaron.`,
    }),
    exhausted: (count: string) => ({ en: `${count} failed`, es: `Fallidos: ${count}` }),
    retrying: (count: string) => ({ en: `${count} being retried`, es: `En reintento: ${count}` }),
    skipped: (count: string) => ({ en: `${count} skipped`, es: `Omitidos: ${count}` }),
    disabled: { en: 'The endpoint is disabled.', es: 'El punto de conexión está desactivado.' },
    mode: { live: { en: 'Live data', es: 'Datos reales' }, test: { en: 'Test data', es: 'Datos de prueba' } },
  },
  one: {
    title: (id: string) => ({ en: `Delivery ${id}`, es: `Entrega ${id}` }),
    ofLink: { en: 'All deliveries of this link', es: 'Todas las entregas de este enlace' },
    noAttempts: { en: 'There was no attempt yet.', es: 'Todavía no hubo ningún intento.' },
    attempt: {
      number: { en: 'Number', es: 'Número' },
      started: { en: 'Started', es: 'Inicio' },
      result: { en: 'Result', es: 'Resultado' },
    },
    headersText: {
      en: 'Headers of each attempt. The time and the signatures are made anew each time and are not kept.',
      es: 'Encabezados de cada intento. La hora y las firmas se crean de nuevo cada vez y no se conservan.',
    },
    signaturePart: {
      en: 't=<Unix seconds of the attempt>,v1=<64 hexadecimal digits>',
      es: 't=<segundos Unix del intento>,v1=<64 dígitos hexadecimales>',
    },
    payload: { en: 'Body', es: 'Cuerpo' },
    payloadText: (bytes: number) => ({
      en: `The exact ${bytes.toLocaleString('en')} bytes that are signed and sent.`,
      es: `Los ${bytes.toLocaleString('es-US')} bytes exactos que se firman y se envían.`,
    }),
    maskedText: {
      en: 'Your role sees no data of patients. Such values are replaced by •••, and the layout differs from what was sent.',
      es: 'Su función no ve datos de pacientes. Esos valores aparecen como •••, y el formato difiere de lo enviado.',
    },
    noReply: { en: 'The body of the answer is not kept.', es: 'El cuerpo de la respuesta no se conserva.' },
    redeliver: {
      title: { en: 'Send again', es: 'Enviar de nuevo' },
      text: {
        en: 'The same event is sent again, with the same id and body, and with up to eight new attempts.',
        es: 'Se envía otra vez el mismo evento, con el mismo id y el mismo cuerpo, y con hasta ocho intentos nuevos.',
      },
      button: { en: 'Redeliver', es: 'Reenviar' },
      waiting: {
        en: 'This delivery is still waiting or under way, so there is nothing to send again.',
        es: 'Esta entrega todavía espera o está en curso, así que no hay nada que reenviar.',
      },
    },
    retry: {
      title: { en: 'Send now', es: 'Enviar ahora' },
      text: {
        en: 'If your endpoint works again, the next attempt need not wait. It counts as one of the eight attempts.',
        es: 'Si su punto de conexión ya funciona, el próximo intento no tiene que esperar. Cuenta como uno de los ocho intentos.',
      },
    },
  },
  reasons,
  redelivery: {
    title: { en: 'Redeliver all that failed', es: 'Reenviar todo lo que falló' },
    lead: {
      en: 'Choose an endpoint and a time range of at most 30 days. You see how many events it has before anything is sent.',
      es: 'Elija un punto de conexión y un intervalo de 30 días como máximo. Verá cuántos eventos tiene antes de enviar nada.',
    },
    since: { en: 'Events from', es: 'Eventos desde' },
    before: { en: 'Events before', es: 'Eventos antes de' },
    preview: { en: 'Count them', es: 'Contarlos' },
    none: {
      en: 'No event of this range failed. Test pings, and events that the endpoint no longer subscribes to, do not count.',
      es: 'Ningún evento de este intervalo falló. No cuentan los pings de prueba ni los eventos a los que ya no está suscrito.',
    },
    found: ({ exhaustedCount, skippedCount, isCapped }: FailedCount) => ({
      en:
        `${exhaustedCount} failed and ${skippedCount} skipped events will be sent again, oldest first.` +
        (isCapped ? ' There are more: at most 1,000 are sent at once. Repeat after ten minutes.' : ''),
      es:
        `Se enviarán de nuevo los eventos fallidos (${exhaustedCount}) y los omitidos (${skippedCount}), del más antiguo al más reciente.` +
        (isCapped ? ' Hay más: se envían 1,000 a la vez como máximo. Repita después de diez minutos.' : ''),
    }),
    confirm: { en: 'Yes, send them again', es: 'Sí, enviarlos de nuevo' },
    button: { en: 'Redeliver them', es: 'Reenviarlos' },
  },
  done: {
    tested: {
      en: 'The example is sent within seconds. Load the page again to see the answer.',
      es: 'El ejemplo se envía en unos segundos. Cargue la página de nuevo para ver la respuesta.',
    },
    redelivered: { en: 'It was queued and is sent within seconds.', es: 'Está en cola y se envía en unos segundos.' },
    retried: {
      en: 'The next attempt is due now and is sent within seconds.',
      es: 'El próximo intento ya está en cola y se envía en unos segundos.',
    },
    left_alone: {
      en: 'It was waiting or under way already, so nothing was changed.',
      es: 'Ya esperaba o estaba en curso, así que no cambió nada.',
    },
  },
  refusals: {
    invalid_range: {
      en: 'Enter two times, the first before the second.',
      es: 'Escriba dos horas, la primera anterior a la segunda.',
    },
    unknown_endpoint: { en: 'Choose an endpoint.', es: 'Elija un punto de conexión.' },
  },
  debugger: signatures,
};

/** Returns what to check at a status, or nothing. */
function statusAdvice(status: number | null): Both {
  if (status === null) return NOTHING;
  if (status >= 300 && status < 400) {
    return {
      en: ' Redirects are not followed. Enter the final address.',
      es: ' No se siguen redirecciones. Escriba la dirección final.',
    };
  }
  if (status === 401 || status === 403) {
    return {
      en: ' Does it ask for a sign-in, or does its check of the signature fail?',
      es: ' ¿Pide iniciar sesión o falla su comprobación de la firma?',
    };
  }
  if (status === 404 || status === 410)
    return { en: ' Check the path of the address.', es: ' Revise la ruta de la dirección.' };
  if (status === 429) return { en: ' It gets too many requests.', es: ' Recibe demasiadas solicitudes.' };
  if (status < 500) return NOTHING;
  return {
    en: ' Check the log of your server at this time.',
    es: ' Consulte el registro de su servidor a esa hora.',
  };
}

const NOTHING: Both = { en: '', es: '' };
