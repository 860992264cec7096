import type { Mutant } from './mutant.ts';

/** Faults in the retention of events, in redelivery and replay, and in the secrets of endpoints. */
export const WEBHOOK_EVENTS: readonly Mutant[] = [
  {
    name: 'delivered events are deleted at the end of their 30 days instead of after it',
    file: 'src/webhooks/events/retention.ts',
    text: 'delivered_at < $1',
    instead: 'delivered_at <= $1',
    test: 'test/webhooks/retention.test.ts',
    title: 'a delivered event is kept for 30 days',
  },
  {
    name: 'failed deliveries are deleted a day early',
    file: 'src/webhooks/model/retention-times.ts',
    text: 'OTHERS_KEPT_MS = 90 *',
    instead: 'OTHERS_KEPT_MS = 89 *',
    test: 'test/webhooks/retention.test.ts',
    title: 'are kept for 90 days',
  },
  {
    name: 'an attempt that was not sent uses up one of the eight',
    file: 'src/webhooks/delivery/attempts.ts',
    text: 'attempt_count = attempt_count - 1, run_attempts = run_attempts - 1,',
    instead: 'attempt_count = attempt_count - 1,',
    test: 'test/webhooks/attempts.test.ts',
    title: 'uses up none of the eight',
  },
  {
    name: 'a failure is recorded without waiting for a transaction that disables the endpoint',
    file: 'src/webhooks/delivery/attempts.ts',
    text: 'from webhook_endpoints where id = $1 for no key update',
    instead: 'from webhook_endpoints where id = $1',
    test: 'test/webhooks/disabling.test.ts',
    title: 'a delivery that fails while',
  },
  {
    name: 'an event is published without waiting for a transaction that disables the endpoint',
    file: 'src/webhooks/events/publish.ts',
    text: 'order by id for key share',
    instead: 'order by id',
    test: 'test/webhooks/disabling.test.ts',
    title: 'an event that is published while',
  },
  {
    name: 'exhausted redeliveries count towards disabling',
    file: 'src/webhooks/delivery/attempts.ts',
    text: "and delivery_run = 'automatic' and type",
    instead: 'and type',
    test: 'test/webhooks/redeliver-webhook-delivery.test.ts',
    title: 'does not count towards disabling',
  },
  {
    name: 'deliveries of the very moment of since are left out',
    file: 'src/webhooks/events/deliveries.ts',
    text: 'push(`created_at >= ',
    instead: 'push(`created_at > ',
    test: 'test/webhooks/list-webhook-deliveries.test.ts',
    title: 'since takes any zone and is inclusive',
  },
  {
    name: 'a rotation forgets the former secret at once',
    file: 'src/webhooks/endpoints/service.ts',
    text: 'previousSecretUntil = keepsFormer ? until : null',
    instead: 'previousSecretUntil = keepsFormer ? scope.clock.now() : null',
    test: 'test/webhooks/rotate-secret-webhook-endpoint.test.ts',
  },
];
