import type { Both } from '../../../pages/texts/languages.ts';
import type { DeliveryReason } from '../../../webhooks/delivery/explain.ts';

/** Moments as texts, or a dash if there is none. */
type Moments = Record<'since' | 'next', string>;

/** Sentences on why a delivery is where it is. */
export const reasons: Readonly<Record<DeliveryReason, { title: Both; text: (moments: Moments) => Both }>> = {
  delivered: {
    title: { en: 'It arrived', es: 'Llegó' },
    text: ({ since }) => ({
      en: `The endpoint accepted it at ${since}. Nothing more follows.`,
      es: `El punto de conexión la aceptó el ${since}. No sigue nada más.`,
    }),
  },
  in_flight: {
    title: { en: 'An attempt is under way', es: 'Hay un intento en curso' },
    text: ({ since, next }) => ({
      en: `It began at ${since}. Its result is known by ${next}.`,
      es: `Empezó el ${since}. Su resultado se conocerá a más tardar el ${next}.`,
    }),
  },
  interrupted: {
    title: { en: 'The attempt was interrupted', es: 'El intento se interrumpió' },
    text: ({ since }) => ({
      en: `The attempt of ${since} lost its worker. Another worker continues within seconds. The event may arrive twice.`,
      es: `El intento del ${since} perdió su proceso. Otro continúa en unos segundos. El evento puede llegar dos veces.`,
    }),
  },
  being_skipped: {
    title: { en: 'The endpoint was disabled', es: 'El punto de conexión se desactivó' },
    text: () => ({
      en: 'This delivery becomes skipped within seconds. Enable the endpoint, then redeliver.',
      es: 'Esta entrega quedará omitida en unos segundos. Active el punto de conexión y después reenvíe.',
    }),
  },
  unsignable: {
    title: { en: 'It cannot be signed at the moment', es: 'Por ahora no se puede firmar' },
    text: () => ({
      en: 'The secret of the endpoint cannot be read, so nothing is sent and no attempt is used up. Ask the operator to check SECRETS_KEY.',
      es: 'No se puede leer el secreto, así que no se envía nada ni se gasta ningún intento. Pida al operador que revise SECRETS_KEY.',
    }),
  },
  waits_for_retry: {
    title: { en: 'It waits for its next attempt', es: 'Espera su próximo intento' },
    text: ({ since, next }) => ({
      en: `The attempt of ${since} failed. The next one is due at ${next}.`,
      es: `El intento del ${since} falló. El próximo será el ${next}.`,
    }),
  },
  asked_to_wait: {
    title: { en: 'The endpoint asked to wait', es: 'El punto de conexión pidió esperar' },
    text: ({ since, next }) => ({
      en: `It answered "too many requests" or "unavailable" at ${since}, and said how long to wait. The next attempt is due at ${next}.`,
      es: `El ${since} respondió «demasiadas solicitudes» o «no disponible», y dijo cuánto esperar. El próximo intento será el ${next}.`,
    }),
  },
  waits_for_start: {
    title: { en: 'It waits for its first attempt', es: 'Espera su primer intento' },
    text: ({ next }) => ({ en: `The first attempt is due at ${next}.`, es: `El primer intento será el ${next}.` }),
  },
  endpoint_busy: {
    title: { en: 'It waits behind another delivery', es: 'Espera detrás de otra entrega' },
    text: ({ next }) => ({
      en: `An endpoint gets one request at a time, and another one is under way. That one ends by ${next}. A slow endpoint makes a queue.`,
      es: `Un punto de conexión recibe una solicitud a la vez, y hay otra en curso. Termina a más tardar el ${next}. Un servidor lento forma una cola.`,
    }),
  },
  behind_new_events: {
    title: { en: 'It waits behind new events', es: 'Espera detrás de eventos nuevos' },
    text: ({ next }) => ({
      en: `It was queued again together with others. New events go first, and another one is under way until ${next} at most.`,
      es: `Se puso en cola junto con otras. Los eventos nuevos van primero, y hay otro en curso hasta el ${next} como máximo.`,
    }),
  },
  due: {
    title: { en: 'It is sent now', es: 'Se envía ahora' },
    text: () => ({ en: 'A worker takes it within a few seconds.', es: 'Un proceso la toma en unos segundos.' }),
  },
  overdue: {
    title: { en: 'No worker has taken it', es: 'Ningún proceso la ha tomado' },
    text: ({ since }) => ({
      en: `It has been due since ${since}. The operator must check that a worker is running.`,
      es: `Debía enviarse el ${since}. El operador debe comprobar que haya un proceso en marcha.`,
    }),
  },
  exhausted: {
    title: { en: 'All attempts failed', es: 'Fallaron todos los intentos' },
    text: ({ since }) => ({
      en: `The last one was at ${since}. Nothing happens by itself. Repair the endpoint, then redeliver.`,
      es: `El último fue el ${since}. Nada ocurre por sí solo. Repare el punto de conexión y después reenvíe.`,
    }),
  },
  exhausted_endpoint_disabled: {
    title: {
      en: 'All attempts failed, and the endpoint is disabled',
      es: 'Fallaron todos los intentos y el punto de conexión está desactivado',
    },
    text: ({ since }) => ({
      en: `The last attempt was at ${since}. Repair and enable the endpoint, then redeliver.`,
      es: `El último intento fue el ${since}. Repare y active el punto de conexión y después reenvíe.`,
    }),
  },
  skipped: {
    title: { en: 'The endpoint was disabled then', es: 'El punto de conexión estaba desactivado entonces' },
    text: () => ({
      en: 'It was not sent. The endpoint is enabled again, but skipped events are not sent by themselves. Redeliver it.',
      es: 'No se envió. El punto de conexión ya está activo, pero los eventos omitidos no se envían por sí solos. Reenvíela.',
    }),
  },
  skipped_endpoint_disabled: {
    title: { en: 'The endpoint is disabled', es: 'El punto de conexión está desactivado' },
    text: () => ({
      en: 'Nothing is sent to a disabled endpoint. Enable it, then redeliver.',
      es: 'No se envía nada a un punto de conexión desactivado. Actívelo y después reenvíe.',
    }),
  },
};
