import { ApiError } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { stateAfter, statesBefore } from '../base/state-machine.ts';
import type { WebhookReplay } from '../contract/operations-type.ts';
import { RING } from './doorbell.ts';
import type { WebhookEndpoint } from './endpoint.entity.ts';
import { queueDeliveries } from './publish.ts';
import { lockVisibleEndpoint, requireEnabled, requireSigning } from './service.ts';
import { DELIVERY } from './transitions.ts';

/** A change that an endpoint missed: what `publish` would have been told. */
export interface MissedChange {
  paymentLinkId: string;
  type: string;
  /** When it happened. */
  at: Date;
  /** The event's `data`, with the resource as it is now. */
  data: object;
}

/**
 * The port through which replay asks the rest of the service what an endpoint missed: changes in the window of which it
 * has no delivery of that type, oldest first, at most `limit`. The wiring fills it.
 */
export type FindMissedChanges = (
  scope: Scope,
  endpoint: WebhookEndpoint,
  since: Date,
  limit: number,
) => Promise<MissedChange[]>;

/** Section 8 of the interface. */
const MAX_WINDOW_MS = 30 * 86_400_000;
const MAX_EVENTS = 1000;
const COOLDOWN_MS = 600_000;

interface Requeueable {
  id: string;
  created_at: string;
}

/**
 * Queues again, with their ids, deliveries that never succeeded, and fresh events for what the endpoint missed: oldest
 * first, at most 1,000 in all.
 *
 * @throws ApiError `validation_error` (since), `not_found`, `endpoint_disabled`, `webhooks_unavailable`,
 *   `replay_cooldown`; a refused replay starts no cooldown
 */
export async function replay(
  scope: CallerScope,
  findMissedChanges: FindMissedChanges,
  endpointId: string,
  since: Date,
): Promise<WebhookReplay> {
  const now = scope.clock.now();
  if (since > now || since.getTime() < now.getTime() - MAX_WINDOW_MS) {
    const message = 'since must be a time in the past, at most 30 days ago.';
    throw new ApiError('validation_error', { param: 'since', message });
  }
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, endpointId);
    requireEnabled(endpoint);
    requireSigning(scope, endpoint);
    requireCooledDown(endpoint, now);
    endpoint.replayedAt = now;
    await scope.em.flush();
    const requeueable = await findRequeueable(scope, endpoint, since);
    const missed = await findMissedChanges(scope, endpoint, since, MAX_EVENTS + 1);
    const oldestFirst = [
      ...requeueable.map((delivery) => ({ at: new Date(delivery.created_at), id: delivery.id, change: null })),
      ...missed.map((change) => ({ at: change.at, id: null, change })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime());
    const chosen = oldestFirst.slice(0, MAX_EVENTS);
    const requeued = chosen.flatMap(({ id }) => (id === null ? [] : [id]));
    const fresh = chosen.flatMap(({ change }) => (change === null ? [] : [change]));
    await requeue(scope, requeued);
    await queueDeliveries(
      scope,
      fresh.map(({ at, ...change }) => ({ ...change, endpoint, missedAt: at })),
    );
    return {
      object: 'webhook_replay',
      endpointId,
      since: since.toISOString(),
      requeuedCount: requeued.length,
      freshCount: fresh.length,
      capped: oldestFirst.length > MAX_EVENTS,
    };
  });
}

function requireCooledDown({ replayedAt }: WebhookEndpoint, now: Date): void {
  const waitMs = replayedAt === null ? 0 : replayedAt.getTime() + COOLDOWN_MS - now.getTime();
  if (waitMs > 0) throw new ApiError('replay_cooldown', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

function findRequeueable(scope: Scope, endpoint: WebhookEndpoint, since: Date): Promise<Requeueable[]> {
  return sql(
    scope.em,
    `select id, created_at from webhook_deliveries
     where endpoint_id = $1 and created_at >= $2 and status = any ($3) and delivered_at is null
       and ($4::text[] = '{}' or type = any ($4))
     order by created_at, id limit $5`,
    [endpoint.id, since, statesBefore(DELIVERY, 'replay'), endpoint.enabledEvents, MAX_EVENTS + 1],
  );
}

/** Due since the event happened, so that a replay goes out oldest first, behind everything that is new. */
async function requeue(scope: Scope, ids: string[]): Promise<void> {
  await sql(
    scope.em,
    `with again as (
       update webhook_deliveries set status = $2, ladder = 'replay', ladder_attempts = 0, rank = 2, due_at = created_at
       where id = any ($1) and status = any ($3) returning endpoint_id
     )
     select ${RING} from (select distinct endpoint_id from again) as endpoint`,
    [ids, stateAfter(DELIVERY, 'replay'), statesBefore(DELIVERY, 'replay')],
  );
}
