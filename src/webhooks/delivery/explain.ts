import { ApiError } from '../../platform/base/errors.ts';
import type { AccessScope } from '../../platform/base/scope.ts';
import { decryptSecret } from '../../platform/base/secrets.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { bindingOfSecret } from '../endpoints/service.ts';
import { ASKED_TO_WAIT_UNTIL } from '../model/attempt.entity.ts';
import type { WebhookDelivery } from '../model/delivery.entity.ts';
import type { DeliveryStatus, EndpointStatus } from '../model/transitions.ts';

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

export interface ExplainedState {
  status: DeliveryStatus;
  endpointStatus: EndpointStatus;
  isInFlight: boolean;
  canSign: boolean;
  isDue: boolean;
  /** True if the receiver asked to wait longer, in its answer to the last attempt. */
  isAskedToWait: boolean;
}

/**
 * @param delivery as it was just read; the caller has checked that its viewer sees it
 * @throws ApiError `not_found` if retention has deleted it since
 */
export async function explainDelivery(
  scope: AccessScope,
  { id, endpointId, status }: WebhookDelivery,
): Promise<DeliveryReason> {
  const [row] = await sql<Omit<ExplainedState, 'status' | 'canSign'> & { secretCiphertext: string }>(
    scope.em,
    `select w.status as "endpointStatus", w.secret_ciphertext as "secretCiphertext",
       coalesce(w.lease_until > n.now, false) and exists (
         select from webhook_attempts a where a.delivery_id = d.id and a.duration_ms is null) as "isInFlight",
       coalesce(d.due_at <= n.now, true) as "isDue", exists (
         select from webhook_attempts a
         where a.delivery_id = d.id and a.number = d.attempt_count and ${ASKED_TO_WAIT_UNTIL} > n.now) as "isAskedToWait"
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id,
       (select coalesce($3, clock_timestamp()) as now) n
     where d.id = $1 and d.practice_id = $2`,
    [id, scope.caller.practiceId, scope.clock.shared()],
  );
  if (row === undefined) throw new ApiError('not_found');
  const canSign = decryptSecret(scope.keyring, bindingOfSecret(endpointId), row.secretCiphertext) !== null;
  return explain({ ...row, status, canSign });
}

/** The conditions of one that waits are in the order in which a worker checks them. */
export function explain({ status, ...state }: ExplainedState): DeliveryReason {
  if (status !== 'pending' && status !== 'retrying') return status;
  if (state.isInFlight) return 'in_flight';
  if (state.endpointStatus === 'disabled') return 'skipped';
  if (!state.canSign) return 'unsignable';
  if (status === 'pending' || state.isDue) return 'due';
  return state.isAskedToWait ? 'asked_to_wait' : 'waits_for_retry';
}
