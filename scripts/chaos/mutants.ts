import type { Mutation } from '../mutants/mutation.ts';

/** One way to break the service, replaced wherever the text stands in the file. */
export interface Mutant extends Mutation {
  name: string;
  /** Beginning of the violations that the mutant must cause. */
  caughtBy: string;
}

/**
 * Writes an outcome although another worker has ended the attempt. It shows only if a frozen worker continues within the
 * deadline of its attempt. Runs meet that too rarely, so a test makes it happen.
 */
export const UNGUARDED_OUTCOME: Mutant = {
  name: 'an attempt that was declared interrupted can still be written',
  file: 'src/webhooks/delivery/record.ts',
  text: "IS_OPEN = 'coalesce(a.duration_ms, -1) = -1'",
  instead: "IS_OPEN = 'true'",
  caughtBy: 'Q4 nothing is attempted after a 2xx',
};

/** Mutants that a run must detect. A run that cannot detect them proves nothing. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the lease is shorter than the deadline',
    file: 'src/webhooks/delivery/lease.ts',
    text: 'const LEASE_MARGIN_MS = 5_000;',
    instead: 'const LEASE_MARGIN_MS = -900;',
    caughtBy: 'Q3',
  },
  {
    name: 'only wake-ups that are heard start deliveries, and no sweep does',
    file: 'src/webhooks/delivery/sweep.ts',
    text: 'of endpointsWithDueDeliveries(newScope)',
    instead: 'of []',
    caughtBy: 'Q6',
  },
  {
    name: 'jobs of a dead worker stay locked',
    file: 'src/jobs/heartbeat.ts',
    text: 'const DEAD_AFTER_SECONDS = 6;',
    instead: 'const DEAD_AFTER_SECONDS = 6_000;',
    caughtBy: 'Q7',
  },
  {
    name: 'an interrupted attempt waits for the retry schedule',
    file: 'src/webhooks/delivery/abandoned-attempts.ts',
    text: 'scheduledMs === null || attempt.isRepeated ? scheduledMs : 0',
    instead: 'scheduledMs',
    caughtBy: 'Q8',
  },
  {
    name: 'the event of a cancel is written, and the cancel is not',
    file: 'src/payment-links/store/writes.ts',
    text: 'fields: isState ? fields : null,',
    instead: "fields: isState && link.status !== 'cancelled' ? fields : null,",
    caughtBy: 'Q5 every event has its committed change',
  },
  {
    name: 'payloads are written anew before each send',
    file: 'src/webhooks/delivery/round.ts',
    text: 'body: attempt.payload,',
    instead: 'body: JSON.stringify(JSON.parse(attempt.payload), null, 1),',
    caughtBy: 'Q5 bodies are the bytes that were written once',
  },
  {
    name: 'a refund is asked for again with another idempotency key',
    file: 'src/payment-links/refund/apply-refunds.ts',
    text: 'listed.find((made) => made.refundId === refundId) ??',
    instead: "(await processor.refund({ account, paymentReference, refundId: refundId + '_2', amountCents })) ??",
    caughtBy: 'Q10 the processor makes the refunds that were asked for, and no others',
  },
  {
    name: 'nobody asks again about a refund whose API was killed',
    file: 'src/payment-links/refund/refund-decision.ts',
    text: '...paymentOf(state), reconcileAt: soon',
    instead: '...paymentOf(state), reconcileAt: null',
    caughtBy: 'Q10 a recorded refund has ended, as it did at the processor',
  },
  {
    name: 'a refund of which the service hears later has no event',
    file: 'src/payment-links/refund/refund-decision.ts',
    text: 'followedBy(refunded(after, refund), isReversal',
    instead: 'followedBy(unchanged(after), isReversal',
    caughtBy: 'Q1 every refund and dispute has its events',
  },
  {
    name: 'refunds that were made at the processor are not asked for',
    file: 'src/payment-links/refund/apply-refunds.ts',
    text: 'await processor.retrieveRefunds(payment.account, payment.reference)',
    instead: '[]',
    caughtBy: 'Q10 a refund at the processor is recorded once, with its outcome',
  },
  {
    name: 'a refund that is recorded as pending counts as recorded for good',
    file: 'src/payment-links/refund/apply-refunds.ts',
    text: 'refund.status === state && ',
    instead: '',
    caughtBy: 'Q10 a recorded refund has ended, as it did at the processor',
  },
];
