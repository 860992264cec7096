import type { DeliveryReason } from '../../../webhooks/delivery/explain.ts';

/** Sentences on why a delivery is where it is. `next` is the moment of the next attempt. */
export const REASONS: Readonly<Record<DeliveryReason, { title: string; text: (next: string) => string }>> = {
  delivered: { title: 'It arrived', text: () => 'The endpoint accepted it. Nothing more follows.' },
  in_flight: { title: 'An attempt is under way', text: () => 'Its result is known within seconds.' },
  unsignable: {
    title: 'It cannot be signed at the moment',
    text: () =>
      'The secret of the endpoint cannot be read, so nothing is sent and no attempt is used up. Ask the operator to check SECRETS_KEY.',
  },
  waits_for_retry: {
    title: 'It waits for its next attempt',
    text: (next) => `The last attempt failed. The next one is due at ${next}.`,
  },
  asked_to_wait: {
    title: 'The endpoint asked to wait',
    text: (next) =>
      `It answered "too many requests" or "unavailable", and said how long to wait. The next attempt is due at ${next}.`,
  },
  due: {
    title: 'It is due',
    text: () =>
      'A worker sends it as soon as it is its turn. An endpoint gets one request at a time, and new events go before those of a replay.',
  },
  exhausted: {
    title: 'All attempts failed',
    text: () => 'Nothing happens by itself. Repair the endpoint, and enable it if it is disabled. Then redeliver.',
  },
  skipped: {
    title: 'The endpoint was disabled',
    text: () =>
      'Nothing is sent to a disabled endpoint, and nothing follows by itself. Enable the endpoint, then redeliver.',
  },
};
