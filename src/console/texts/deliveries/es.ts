import type { deliveries as english } from './en.ts';
import { signatures } from './es-debugger.ts';
import { reasons } from './es-reasons.ts';

/** The Spanish texts. */
export const deliveries: typeof english = {
  title: 'Entregas de webhooks',
  lead: 'Todos los eventos que reciben sus puntos de conexión, del más reciente al más antiguo. Abra uno para ver por qué llegó o no.',
  empty:
    'Todavía no se envía nada, porque no hay ningún punto de conexión. Añada uno y después pague o cancele un enlace: sus eventos aparecen aquí.',
  addEndpoint: 'Añadir un punto de conexión',
  emptyWithEndpoint:
    'Todavía no se ha enviado ningún evento. Pague o cancele un enlace, o envíe un evento de prueba desde la página de un punto de conexión: aparece aquí.',
  emptyFiltered: 'Ninguna entrega coincide con el filtro.',
  filter: {
    endpoint: 'Punto de conexión',
    status: 'Estado',
    type: 'Evento',
    link: 'Enlace de pago (id)',
    since: 'Desde (UTC)',
    invalid: 'Un valor del filtro no es válido. Los id de los enlaces empiezan por plink_.',
  },
  table: {
    time: 'Hora (UTC)',
    type: 'Evento',
    endpoint: 'Punto de conexión',
    status: 'Estado',
    attempts: 'Intentos',
    last: 'Última respuesta',
  },
  openLabel: (id) => `¿Por qué? Detalles de ${id}`,
  total: (count) => (count === 1 ? '1 entrega' : `${count.toLocaleString('es-US')} entregas`),
  newer: 'Más recientes',
  older: 'Más antiguas',
  debuggerLink: 'Comprobar una firma',
  redeliverLink: 'Reenviar todo lo que falló',
  statuses: {
    pending: 'Pendiente',
    retrying: 'Reintentando',
    delivered: 'Entregada',
    exhausted: 'Fallida',
    skipped: 'Omitida',
  },
  types: {
    'payment_link.processing': 'Débito bancario en curso',
    'payment_link.paid': 'Pagado',
    'payment_link.failed': 'Débito bancario fallido',
    'payment_link.refunded': 'Reembolsado',
    'payment_link.disputed': 'Disputado',
    'payment_link.dispute_closed': 'Disputa cerrada',
    'payment_link.expired': 'Vencido',
    'payment_link.cancelled': 'Cancelado',
    ping: 'Ping de prueba',
  },
  errors: {
    timeout: () => 'No hubo respuesta en 10 segundos. Responda primero y haga el trabajo después.',
    dns_error: () => 'No se pudo resolver el nombre del servidor. Revise la dirección y su DNS.',
    connection_error: () => 'No hubo conexión, o se cortó. ¿Está el servidor en marcha y accesible desde internet?',
    tls_error: () => 'La conexión TLS falló. Revise el certificado: su fecha, su nombre y su cadena.',
    blocked_address: () =>
      'El nombre lleva a una dirección que no es pública. Los webhooks solo van a direcciones públicas.',
    invalid_response: () => 'La respuesta no era HTTP. ¿Hay otro servicio en este puerto?',
    http_status: (status) => `El punto de conexión respondió ${status ?? '–'} en lugar de 2xx.${statusAdvice(status)}`,
    interrupted: () => 'Nuestro servicio se detuvo durante el intento. Es posible que el evento haya llegado.',
  },
  otherError: 'El intento falló.',
  accepted: (status) => `Aceptado con ${status ?? '2xx'}`,
  underWay: 'En curso',
  notTried: 'Sin intentos todavía',
  failing: {
    title: 'Webhooks que fallan',
    lead: (since) => `Eventos desde ${since} (UTC) que no llegaron.`,
    none: 'Todos los eventos de los últimos siete días llegaron o están en camino.',
    exhausted: (count) => `${count} fallidos`,
    retrying: (count) => `${count} en reintento`,
    skipped: (count) => `${count} omitidos`,
    disabled: 'El punto de conexión está desactivado.',
    mode: { live: 'Datos reales', test: 'Datos de prueba' },
  },
  one: {
    title: (id) => `Entrega ${id}`,
    why: 'Por qué',
    event: 'Evento',
    created: 'Creada',
    delivered: 'Entregada',
    endpoint: 'Punto de conexión',
    link: 'Enlace de pago',
    ofLink: 'Todas las entregas de este enlace',
    attempts: 'Intentos',
    noAttempts: 'Todavía no hubo ningún intento.',
    attempt: { number: 'Número', started: 'Inicio (UTC)', duration: 'Duración', result: 'Resultado' },
    milliseconds: (count) => `${count.toLocaleString('es-US')} ms`,
    request: 'Solicitud',
    headersText: 'Encabezados de cada intento. La hora y las firmas se crean de nuevo cada vez y no se conservan.',
    signaturePart: 't=<segundos Unix del intento>,v1=<64 dígitos hexadecimales>',
    payload: 'Cuerpo',
    payloadText: (bytes) => `Los ${bytes.toLocaleString('es-US')} bytes exactos que se firman y se envían.`,
    maskedText:
      'Su función no ve datos de pacientes. Esos valores aparecen como •••, y el formato difiere de lo enviado.',
    noReply: 'El cuerpo de la respuesta no se conserva.',
    redeliver: {
      title: 'Enviar de nuevo',
      text: 'Se envía otra vez el mismo evento, con el mismo id y el mismo cuerpo, y con hasta ocho intentos nuevos.',
      button: 'Reenviar',
      waiting: 'Esta entrega todavía espera o está en curso, así que no hay nada que reenviar.',
    },
    retry: {
      title: 'Enviar ahora',
      text: 'Si su punto de conexión ya funciona, el próximo intento no tiene que esperar. Cuenta como uno de los ocho intentos.',
      button: 'Enviar ahora',
    },
    back: 'A la lista',
  },
  reasons,
  redelivery: {
    title: 'Reenviar todo lo que falló',
    lead: 'Elija un punto de conexión y un intervalo de 30 días como máximo. Verá cuántos eventos tiene antes de enviar nada.',
    since: 'Eventos desde (UTC)',
    before: 'Eventos antes de (UTC)',
    preview: 'Contarlos',
    none: 'Ningún evento de este intervalo falló. No cuentan los pings de prueba ni los eventos a los que ya no está suscrito.',
    found: ({ exhaustedCount, skippedCount, isCapped }) =>
      `Se enviarán de nuevo ${exhaustedCount} eventos fallidos y ${skippedCount} omitidos, del más antiguo al más reciente.` +
      (isCapped ? ' Hay más: se envían 1,000 a la vez como máximo. Repita después de diez minutos.' : ''),
    confirm: 'Sí, enviarlos de nuevo',
    button: 'Reenviarlos',
  },
  done: {
    redelivered: 'Está en cola y se envía en unos segundos.',
    retried: 'El próximo intento ya está en cola y se envía en unos segundos.',
    left_alone: 'Ya esperaba o estaba en curso, así que no cambió nada.',
  },
  doneMany: (count) => `Eventos puestos en cola de nuevo: ${count}.`,
  refusals: {
    endpoint_disabled: 'El punto de conexión está desactivado. Actívelo primero.',
    webhooks_unavailable: 'Por ahora no se pueden firmar webhooks. Inténtelo más tarde o avise al operador.',
    replay_cooldown: 'Los eventos de este punto de conexión se reenviaron hace menos de diez minutos. Espere un poco.',
    invalid_range: 'Escriba dos horas, la primera anterior a la segunda y de hace 30 días como máximo.',
    unknown_endpoint: 'Elija un punto de conexión.',
    not_confirmed: 'Marque la casilla para confirmar.',
  },
  debugger: signatures,
};

function statusAdvice(status: number | null): string {
  if (status === null) return '';
  if (status >= 300 && status < 400) return ' No se siguen redirecciones. Escriba la dirección final.';
  if (status === 401 || status === 403) return ' ¿Pide iniciar sesión o falla su comprobación de la firma?';
  if (status === 404 || status === 410) return ' Revise la ruta de la dirección.';
  if (status === 429) return ' Recibe demasiadas solicitudes.';
  return status >= 500 ? ' Consulte el registro de su servidor a esa hora.' : '';
}
