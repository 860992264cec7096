import type { ReasonTexts } from './en-reasons.ts';

/** The Spanish texts. */
export const reasons: ReasonTexts = {
  delivered: {
    title: 'Llegó',
    text: ({ since }) => `El punto de conexión la aceptó el ${since}. No sigue nada más.`,
  },
  in_flight: {
    title: 'Hay un intento en curso',
    text: ({ since, next }) => `Empezó el ${since}. Su resultado se conocerá a más tardar el ${next}.`,
  },
  interrupted: {
    title: 'El intento se interrumpió',
    text: ({ since }) =>
      `El intento del ${since} perdió su proceso. Otro continúa en unos segundos. El evento puede llegar dos veces.`,
  },
  being_skipped: {
    title: 'El punto de conexión se desactivó',
    text: () => 'Esta entrega quedará omitida en unos segundos. Active el punto de conexión y después reenvíe.',
  },
  unsignable: {
    title: 'Por ahora no se puede firmar',
    text: () =>
      'No se puede leer el secreto, así que no se envía nada ni se gasta ningún intento. Pida al operador que revise SECRETS_KEY.',
  },
  waits_for_retry: {
    title: 'Espera su próximo intento',
    text: ({ since, next }) => `El intento del ${since} falló. El próximo será el ${next}.`,
  },
  throttled: {
    title: 'El punto de conexión pidió esperar',
    text: ({ since, next }) =>
      `El ${since} respondió «demasiadas solicitudes» o «no disponible», y dijo cuánto esperar. El próximo intento será el ${next}.`,
  },
  waits_for_start: {
    title: 'Espera su primer intento',
    text: ({ next }) => `El primer intento será el ${next}.`,
  },
  endpoint_busy: {
    title: 'Espera detrás de otra entrega',
    text: ({ next }) =>
      `Un punto de conexión recibe una solicitud a la vez, y hay otra en curso. Termina a más tardar el ${next}. Un servidor lento forma una cola.`,
  },
  behind_new_events: {
    title: 'Espera detrás de eventos nuevos',
    text: ({ next }) =>
      `Se puso en cola junto con otras. Los eventos nuevos van primero, y hay otro en curso hasta el ${next} como máximo.`,
  },
  due: { title: 'Se envía ahora', text: () => 'Un proceso la toma en unos segundos.' },
  overdue: {
    title: 'Ningún proceso la ha tomado',
    text: ({ since }) => `Debía enviarse el ${since}. El operador debe comprobar que haya un proceso en marcha.`,
  },
  exhausted: {
    title: 'Fallaron todos los intentos',
    text: ({ since }) =>
      `El último fue el ${since}. Nada ocurre por sí solo. Repare el punto de conexión y después reenvíe.`,
  },
  exhausted_endpoint_disabled: {
    title: 'Fallaron todos los intentos y el punto de conexión está desactivado',
    text: ({ since }) => `El último intento fue el ${since}. Repare y active el punto de conexión y después reenvíe.`,
  },
  skipped: {
    title: 'El punto de conexión estaba desactivado en ese momento',
    text: () =>
      'No se envió. El punto de conexión ya está activo, pero los eventos omitidos no se envían por sí solos. Reenvíela.',
  },
  skipped_endpoint_disabled: {
    title: 'El punto de conexión está desactivado',
    text: () => 'No se envía nada a un punto de conexión desactivado. Actívelo y después reenvíe.',
  },
};
