import { ApiError } from '../../base/errors.ts';
import type { AccessScope } from '../../base/scope.ts';
import { decryptSecret } from '../../base/secrets.ts';
import { sql } from '../../database/query/sql.ts';
import { placeOfSecret } from '../endpoints/service.ts';
import { ASKED_TO_WAIT_UNTIL } from '../model/attempt.entity.ts';
import type { WebhookDelivery } from '../model/delivery.entity.ts';
import type { EndpointStatus } from '../model/transitions.ts';

/** Reason for the present state of a delivery. The console has a sentence for each. */
export type DeliveryReason =
  | 'delivered'
  | 'in_flight'
  | 'interrupted'
  | 'being_skipped'
  | 'unsignable'
  | 'waits_for_retry'
  | 'asked_to_wait'
  | 'waits_for_start'
  | 'endpoint_busy'
  | 'behind_new_events'
  | 'due'
  | 'overdue'
  | 'exhausted'
  | 'exhausted_endpoint_disabled'
  | 'skipped'
  | 'skipped_endpoint_disabled';

export interface ExplainedState extends Pick<WebhookDelivery, 'status' | 'dueAt' | 'deliveredAt' | 'lastAttemptAt'> {
  endpointStatus: EndpointStatus;
  now: Date;
  /** End of the wait for which the receiver asked, in its answer to the last attempt; null if it did not ask. */
  askedToWaitUntil: Date | null;
  hasOpenAttempt: boolean;
  leaseUntil: Date | null;
  /** True if the present delivery run is a replay. New events have priority over replays. */
  isReplay: boolean;
  canSign: boolean;
}

export interface Explanation {
  reason: DeliveryReason;
  /** Moment since which the reason applies; null if there is none. */
  since: Date | null;
  /** Moment of the next expected change; null if nothing happens by itself. */
  nextAt: Date | null;
}

/** Time after which a due delivery without a lease is overdue. A worker looks for due deliveries every three seconds. */
const OVERDUE_MS = 60_000;

/**
 * Explains the present state of a delivery, and when it changes next.
 *
 * @param delivery as it was just read; the caller must have checked that its viewer sees it
 * @throws ApiError `not_found` if retention has deleted it since
 */
export async function explainDelivery(scope: AccessScope, delivery: WebhookDelivery): Promise<Explanation> {
  const [row] = await sql<{
    now: string;
    endpointStatus: EndpointStatus;
    leaseUntil: string | null;
    secretCiphertext: string;
    hasOpenAttempt: boolean;
    isReplay: boolean;
    askedUntil: string | null;
  }>(
    scope.em,
    `select coalesce($3, clock_timestamp()) as now, w.status as "endpointStatus", w.lease_until as "leaseUntil",
       w.secret_ciphertext as "secretCiphertext", d.delivery_run = 'replay' as "isReplay",
       exists (select from webhook_attempts a where a.delivery_id = d.id and a.duration_ms is null) as "hasOpenAttempt",
       (select ${ASKED_TO_WAIT_UNTIL} from webhook_attempts a
        where a.delivery_id = d.id and a.number = d.attempt_count) as "askedUntil"
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.id = $1 and d.practice_id = $2`,
    [delivery.id, scope.caller.practiceId, scope.clock.shared()],
  );
  if (row === undefined) throw new ApiError('not_found');
  const { now, leaseUntil, askedUntil, secretCiphertext, ...known } = row;
  const { status, dueAt, deliveredAt, lastAttemptAt, endpointId } = delivery;
  return explain({
    status,
    dueAt,
    deliveredAt,
    lastAttemptAt,
    ...known,
    now: new Date(now),
    leaseUntil: leaseUntil === null ? null : new Date(leaseUntil),
    askedToWaitUntil: askedUntil === null ? null : new Date(askedUntil),
    canSign: decryptSecret(scope.keyring, placeOfSecret(endpointId), secretCiphertext) !== null,
  });
}

export function explain(state: ExplainedState): Explanation {
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
      return explainWaiting(state);
  }
}

/** Explains a delivery without a final status. The conditions are in the order in which a worker checks them. */
function explainWaiting(state: ExplainedState): Explanation {
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
    const isAskedToWait = askedToWaitUntil !== null && askedToWaitUntil > now;
    return { reason: isAskedToWait ? 'asked_to_wait' : 'waits_for_retry', since: lastAttemptAt, nextAt: dueAt };
  }
  if (lease !== null) {
    return { reason: state.isReplay ? 'behind_new_events' : 'endpoint_busy', since: dueAt, nextAt: lease };
  }
  // `dueAt` of a replay is the time of its event, not the beginning of its wait.
  const isOverdue = !state.isReplay && dueAt !== null && now.getTime() - dueAt.getTime() > OVERDUE_MS;
  return { reason: isOverdue ? 'overdue' : 'due', since: dueAt, nextAt: now };
}
