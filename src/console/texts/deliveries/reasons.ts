import type { DeliveryReason } from '../../../webhooks/delivery/explain.ts';

/** Moments as texts, or a dash if there is none. */
type Moments = Record<'since' | 'next', string>;

/** Sentences on why a delivery is where it is. */
export const reasons: Readonly<Record<DeliveryReason, { title: string; text: (moments: Moments) => string }>> = {
  delivered: {
    title: 'It arrived',
    text: ({ since }) => `The endpoint accepted it at ${since}. Nothing more follows.`,
  },
  in_flight: {
    title: 'An attempt is under way',
    text: ({ since, next }) => `It began at ${since}. Its result is known by ${next}.`,
  },
  interrupted: {
    title: 'The attempt was interrupted',
    text: ({ since }) =>
      `The attempt of ${since} lost its worker. Another worker continues within seconds. The event may arrive twice.`,
  },
  being_skipped: {
    title: 'The endpoint was disabled',
    text: () => 'This delivery becomes skipped within seconds. Enable the endpoint, then redeliver.',
  },
  unsignable: {
    title: 'It cannot be signed at the moment',
    text: () =>
      'The secret of the endpoint cannot be read, so nothing is sent and no attempt is used up. Ask the operator to check SECRETS_KEY.',
  },
  waits_for_retry: {
    title: 'It waits for its next attempt',
    text: ({ since, next }) => `The attempt of ${since} failed. The next one is due at ${next}.`,
  },
  asked_to_wait: {
    title: 'The endpoint asked to wait',
    text: ({ since, next }) =>
      `It answered "too many requests" or "unavailable" at ${since}, and said how long to wait. The next attempt is due at ${next}.`,
  },
  waits_for_start: {
    title: 'It waits for its first attempt',
    text: ({ next }) => `The first attempt is due at ${next}.`,
  },
  endpoint_busy: {
    title: 'It waits behind another delivery',
    text: ({ next }) =>
      `An endpoint gets one request at a time, and another one is under way. That one ends by ${next}. A slow endpoint makes a queue.`,
  },
  behind_new_events: {
    title: 'It waits behind new events',
    text: ({ next }) =>
      `It was queued again together with others. New events go first, and another one is under way until ${next} at most.`,
  },
  due: {
    title: 'It is sent now',
    text: () => 'A worker takes it within a few seconds.',
  },
  overdue: {
    title: 'No worker has taken it',
    text: ({ since }) => `It has been due since ${since}. The operator must check that a worker is running.`,
  },
  exhausted: {
    title: 'All attempts failed',
    text: ({ since }) =>
      `The last one was at ${since}. Nothing happens by itself. Repair the endpoint, then redeliver.`,
  },
  exhausted_endpoint_disabled: {
    title: 'All attempts failed, and the endpoint is disabled',
    text: ({ since }) => `The last attempt was at ${since}. Repair and enable the endpoint, then redeliver.`,
  },
  skipped: {
    title: 'The endpoint was disabled then',
    text: () =>
      'It was not sent. The endpoint is enabled again, but skipped events are not sent by themselves. Redeliver it.',
  },
  skipped_endpoint_disabled: {
    title: 'The endpoint is disabled',
    text: () => 'Nothing is sent to a disabled endpoint. Enable it, then redeliver.',
  },
};
