import { ApiError } from '../../platform/base/errors.ts';
import type { AccessScope } from '../../platform/base/scope.ts';
import { decryptSecret } from '../../platform/base/secrets.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { bindingOfSecret } from '../endpoints/service.ts';
import { ASKED_TO_WAIT_UNTIL } from '../model/attempt.entity.ts';
import type { WebhookDelivery } from '../model/delivery.entity.ts';
import type { EndpointStatus } from '../model/transitions.ts';

/** Reason for the present state of a delivery. The console has a sentence for each. */
export type DeliveryReason =
  | 'delivered'
  | 'in_flight'
  | 'unsignable'
  | 'waits_for_retry'
  | 'asked_to_wait'
  | 'due'
  | 'exhausted'
  | 'skipped';

export interface ExplainedState extends Pick<WebhookDelivery, 'status' | 'dueAt'> {
  endpointStatus: EndpointStatus;
  now: Date;
  /** Null if the receiver did not ask to wait, in its answer to the last attempt. */
  askedToWaitUntil: Date | null;
  isInFlight: boolean;
  canSign: boolean;
}

/**
 * @param delivery as it was just read; the caller has checked that its viewer sees it
 * @throws ApiError `not_found` if retention has deleted it since
 */
export async function explainDelivery(scope: AccessScope, delivery: WebhookDelivery): Promise<DeliveryReason> {
  const [row] = await sql<{
    now: string;
    endpointStatus: EndpointStatus;
    secretCiphertext: string;
    isInFlight: boolean;
    askedUntil: string | null;
  }>(
    scope.em,
    `select n.now, w.status as "endpointStatus", w.secret_ciphertext as "secretCiphertext",
       coalesce(w.lease_until > n.now, false) and exists (
         select from webhook_attempts a where a.delivery_id = d.id and a.duration_ms is null) as "isInFlight",
       (select ${ASKED_TO_WAIT_UNTIL} from webhook_attempts a
        where a.delivery_id = d.id and a.number = d.attempt_count) as "askedUntil"
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id,
       (select coalesce($3, clock_timestamp()) as now) n
     where d.id = $1 and d.practice_id = $2`,
    [delivery.id, scope.caller.practiceId, scope.clock.shared()],
  );
  if (row === undefined) throw new ApiError('not_found');
  const { now, askedUntil, secretCiphertext, ...state } = row;
  return explain({
    ...state,
    status: delivery.status,
    dueAt: delivery.dueAt,
    now: new Date(now),
    askedToWaitUntil: askedUntil === null ? null : new Date(askedUntil),
    canSign: decryptSecret(scope.keyring, bindingOfSecret(delivery.endpointId), secretCiphertext) !== null,
  });
}

/** The conditions of one that waits are in the order in which a worker checks them. */
export function explain({ status, ...state }: ExplainedState): DeliveryReason {
  if (status !== 'pending' && status !== 'retrying') return status;
  const { now, dueAt, askedToWaitUntil } = state;
  if (state.isInFlight) return 'in_flight';
  if (state.endpointStatus === 'disabled') return 'skipped';
  if (!state.canSign) return 'unsignable';
  if (status === 'pending' || dueAt === null || dueAt <= now) return 'due';
  return askedToWaitUntil !== null && askedToWaitUntil > now ? 'asked_to_wait' : 'waits_for_retry';
}
