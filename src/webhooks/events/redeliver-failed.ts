import type { AccessScope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { getVisibleEndpoint, lockVisibleEndpoint } from '../endpoints/service.ts';
import type { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { findRequeueable, MAX_EVENTS, requeue, requireInWindow, requireReplayable } from './replay.ts';

/** Events of an endpoint by the time of their creation. */
export interface FailedRange {
  endpointId: string;
  /** At or after; at most 30 days ago. */
  since: Date;
  /** Before. */
  before: Date;
}

/** Deliveries that a redelivery of a range queues, or has queued. */
export interface FailedCount {
  /** Deliveries whose attempts all failed. */
  exhaustedCount: number;
  /** Deliveries that were not tried, because the endpoint was disabled. */
  skippedCount: number;
  /** True if the range has more: only the oldest 1,000 are queued at once. */
  isCapped: boolean;
}

/**
 * Counts the deliveries of a range that never succeeded, and that the endpoint still subscribes to. Pings are left out.
 *
 * @throws ApiError `not_found`, `validation_error` (since), and the reasons why a redelivery would be refused now:
 *   `endpoint_disabled`, `webhooks_unavailable`, `replay_cooldown`
 */
export async function countFailed(scope: AccessScope, range: FailedRange): Promise<FailedCount> {
  const now = scope.clock.now();
  requireInWindow(range.since, now);
  const endpoint = await getVisibleEndpoint(scope, range.endpointId);
  requireReplayable(scope, endpoint, now);
  return (await find(scope, endpoint, range)).count;
}

/**
 * Queues the deliveries of a range that never succeeded again, with their ids. Oldest first, at most 1,000. It has the
 * limits of a replay and shares its cooldown of ten minutes, so a form that is sent twice queues nothing twice.
 *
 * @param record adds to the transaction, such as an audit entry; not called if there is nothing to queue
 * @throws ApiError as `countFailed`; a refused redelivery starts no cooldown, nor does one without deliveries
 */
export function redeliverFailed(
  scope: AccessScope,
  range: FailedRange,
  record: (scope: AccessScope, count: FailedCount) => void,
): Promise<FailedCount> {
  const now = scope.clock.now();
  requireInWindow(range.since, now);
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, range.endpointId);
    requireReplayable(scope, endpoint, now);
    const { ids, count } = await find(scope, endpoint, range);
    if (ids.length === 0) return count;
    endpoint.replayedAt = now;
    await scope.em.flush();
    await requeue(scope, ids);
    record(scope, count);
    return count;
  });
}

async function find(
  scope: AccessScope,
  endpoint: WebhookEndpoint,
  { since, before }: FailedRange,
): Promise<{ ids: string[]; count: FailedCount }> {
  const found = await findRequeueable(scope, endpoint, since, before);
  const chosen = found.slice(0, MAX_EVENTS);
  const skippedCount = chosen.filter(({ status }) => status === 'skipped').length;
  return {
    ids: chosen.map(({ id }) => id),
    count: { exhaustedCount: chosen.length - skippedCount, skippedCount, isCapped: found.length > MAX_EVENTS },
  };
}
