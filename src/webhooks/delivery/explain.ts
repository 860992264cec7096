import type { AccessScope } from '../../base/scope.ts';
import { decryptSecret } from '../../base/secrets.ts';
import { sql } from '../../database/query/sql.ts';
import { placeOfSecret } from '../endpoints/service.ts';
import { ASKED_TO_WAIT_UNTIL } from '../model/attempt.entity.ts';
import type { WebhookDelivery } from '../model/delivery.entity.ts';
import type { DeliveryStatus, EndpointStatus } from '../model/transitions.ts';

/** Reasons why a delivery is where it is. Each has a sentence in the console. */
export const DELIVERY_REASONS = [
  'delivered',
  'in_flight',
  'interrupted',
  'being_skipped',
  'unsignable',
  'waits_for_retry',
  'throttled',
  'waits_for_start',
  'endpoint_busy',
  'behind_new_events',
  'due',
  'overdue',
  'exhausted',
  'exhausted_endpoint_disabled',
  'skipped',
  'skipped_endpoint_disabled',
] as const;

export type DeliveryReason = (typeof DELIVERY_REASONS)[number];

export interface ExplainedState {
  status: DeliveryStatus;
  endpointStatus: EndpointStatus;
  now: Date;
  /** Time of the next attempt; null in final states. */
  dueAt: Date | null;
  deliveredAt: Date | null;
  lastAttemptAt: Date | null;
  /** Moment until which the receiver asked to wait, by its answer to the last attempt; null if it did not. */
  askedToWaitUntil: Date | null;
  hasOpenAttempt: boolean;
  leaseUntil: Date | null;
  /** True if the present delivery run is a replay, which lets new events go first. */
  isReplay: boolean;
  canSign: boolean;
}

export interface Explanation {
  reason: DeliveryReason;
  /** Moment of the last change that the reason is about; null if there is none. */
  since: Date | null;
  /** Moment of the next change that can be expected; null if nothing happens by itself. */
  nextAt: Date | null;
}

/** Time after which a due delivery without a lease is overdue. A worker looks for due deliveries every three seconds. */
const OVERDUE_MS = 60_000;

/**
 * Explains why a delivery is where it is, and names the next moment.
 *
 * @param delivery a delivery that the caller sees, as it was just read
 */
export async function explainDelivery(scope: AccessScope, delivery: WebhookDelivery): Promise<Explanation> {
  const [row] = await sql<{
    now: string;
    endpoint_status: EndpointStatus;
    lease_until: string | null;
    secret_ciphertext: string;
    has_open_attempt: boolean;
    is_replay: boolean;
    asked_until: string | null;
  }>(
    scope.em,
    `select coalesce($3, clock_timestamp()) as now, w.status as endpoint_status, w.lease_until, w.secret_ciphertext,
       d.delivery_run = 'replay' as is_replay,
       exists (select from webhook_attempts a where a.delivery_id = d.id and a.duration_ms is null) as has_open_attempt,
       (select ${ASKED_TO_WAIT_UNTIL} from webhook_attempts a
        where a.delivery_id = d.id and a.number = d.attempt_count) as asked_until
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.id = $1 and d.practice_id = $2`,
    [delivery.id, scope.caller.practiceId, scope.clock.shared()],
  );
  // Retention deleted the delivery after it was read. Its row says all that is left to say.
  const { now, endpoint_status: endpointStatus = 'enabled' } = row ?? {};
  const timeOf = (text: string | null | undefined) => (text == null ? null : new Date(text));
  return explanationOf({
    status: delivery.status,
    endpointStatus,
    now: timeOf(now) ?? scope.clock.now(),
    dueAt: delivery.dueAt,
    deliveredAt: delivery.deliveredAt,
    lastAttemptAt: delivery.lastAttemptAt,
    askedToWaitUntil: timeOf(row?.asked_until),
    hasOpenAttempt: row?.has_open_attempt ?? false,
    leaseUntil: timeOf(row?.lease_until),
    isReplay: row?.is_replay ?? false,
    canSign:
      row === undefined ||
      decryptSecret(scope.keyring, placeOfSecret(delivery.endpointId), row.secret_ciphertext) !== null,
  });
}

export function explanationOf(state: ExplainedState): Explanation {
  const { status, endpointStatus, deliveredAt, lastAttemptAt } = state;
  const isDisabled = endpointStatus === 'disabled';
  switch (status) {
    case 'delivered':
      return { reason: 'delivered', since: deliveredAt, nextAt: null };
    case 'exhausted':
      return { reason: isDisabled ? 'exhausted_endpoint_disabled' : 'exhausted', since: lastAttemptAt, nextAt: null };
    case 'skipped':
      return { reason: isDisabled ? 'skipped_endpoint_disabled' : 'skipped', since: lastAttemptAt, nextAt: null };
    case 'pending':
    case 'retrying':
      return waiting(state);
  }
}

/** Explains a delivery that waits or is under way. The order is that in which a worker meets the conditions. */
function waiting(state: ExplainedState): Explanation {
  const { status, now, dueAt, leaseUntil, lastAttemptAt, askedToWaitUntil } = state;
  const lease = leaseUntil !== null && leaseUntil > now ? leaseUntil : null;
  if (state.hasOpenAttempt) {
    return lease === null
      ? { reason: 'interrupted', since: lastAttemptAt, nextAt: now }
      : { reason: 'in_flight', since: lastAttemptAt, nextAt: lease };
  }
  if (state.endpointStatus === 'disabled') return { reason: 'being_skipped', since: null, nextAt: now };
  if (!state.canSign) return { reason: 'unsignable', since: dueAt, nextAt: null };
  if (dueAt !== null && dueAt > now) {
    if (status === 'pending') return { reason: 'waits_for_start', since: null, nextAt: dueAt };
    const isThrottled = askedToWaitUntil !== null && askedToWaitUntil > now;
    return { reason: isThrottled ? 'throttled' : 'waits_for_retry', since: lastAttemptAt, nextAt: dueAt };
  }
  if (lease !== null) {
    return { reason: state.isReplay ? 'behind_new_events' : 'endpoint_busy', since: dueAt, nextAt: lease };
  }
  // A replay is due since its event, which says nothing of the time for which it waits.
  const isOverdue = !state.isReplay && dueAt !== null && now.getTime() - dueAt.getTime() > OVERDUE_MS;
  return { reason: isOverdue ? 'overdue' : 'due', since: dueAt, nextAt: now };
}
