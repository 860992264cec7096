import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { stateAfter, statesBefore } from '../../base/state-machine.ts';
import type { WebhookReplay } from '../../contract/operations-type.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { ENQUEUE_WAKE_UP } from '../../jobs/wake-up.ts';
import { getVisibleEndpoint, lockVisibleEndpoint, requireEnabled, requireSigning } from '../endpoints/service.ts';
import type { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { DELIVERY } from '../model/transitions.ts';
import { queueDeliveries } from './publish.ts';

/** A change that an endpoint missed: what `publish` would have been told. */
export interface MissedChange {
  paymentLinkId: string;
  type: string;
  /** When it happened. */
  at: Date;
  /** The event's `data`, with the resource as it is now. */
  data: object;
}

/** The port through which replay asks the rest of the service what an endpoint missed. The wiring fills it. */
export interface MissedChanges {
  /**
   * Links with a change in the window of which the endpoint has no delivery of that type, oldest first, at most `limit`.
   * It may walk a million links, so it is asked outside any transaction.
   */
  links(scope: Scope, endpoint: WebhookEndpoint, since: Date, limit: number): Promise<string[]>;
  /** What the endpoint missed of these links as of this moment, oldest first. */
  of(scope: Scope, endpoint: WebhookEndpoint, since: Date, links: string[]): Promise<MissedChange[]>;
}

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
 * first, at most 1,000 in all. What takes long is done before the endpoint is locked; once it is, the few candidates are
 * looked at again.
 *
 * @throws ApiError `validation_error` (since), `not_found`, `endpoint_disabled`, `webhooks_unavailable`,
 *   `replay_cooldown`; a refused replay starts no cooldown
 */
export async function replay(
  scope: CallerScope,
  missedChanges: MissedChanges,
  endpointId: string,
  since: Date,
): Promise<WebhookReplay> {
  const now = scope.clock.now();
  if (since > now || since.getTime() < now.getTime() - MAX_WINDOW_MS) {
    const message = 'since must be a time in the past, at most 30 days ago.';
    throw new ApiError('validation_error', { param: 'since', message });
  }
  const links = await findMissedLinks(scope, missedChanges, endpointId, since, now);
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, endpointId);
    requireReplayable(scope, endpoint, now);
    endpoint.replayedAt = now;
    await scope.em.flush();
    const requeueable = await findRequeueable(scope, endpoint, since);
    const missed = await missedChanges.of(scope, endpoint, since, links);
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
      capped: oldestFirst.length > MAX_EVENTS || links.length > MAX_EVENTS,
    };
  });
}

/** In a scope of its own, so that what is read without a lock is not taken for what is read with it. */
async function findMissedLinks(
  scope: CallerScope,
  missedChanges: MissedChanges,
  endpointId: string,
  since: Date,
  now: Date,
): Promise<string[]> {
  const unlocked = { ...scope, em: scope.em.fork() };
  const endpoint = await getVisibleEndpoint(unlocked, endpointId);
  requireReplayable(unlocked, endpoint, now);
  return missedChanges.links(unlocked, endpoint, since, MAX_EVENTS + 1);
}

function requireReplayable(scope: Scope, endpoint: WebhookEndpoint, now: Date): void {
  requireEnabled(endpoint);
  requireSigning(scope, endpoint);
  requireCooledDown(endpoint, now);
}

function requireCooledDown({ replayedAt }: WebhookEndpoint, now: Date): void {
  const waitMs = replayedAt === null ? 0 : replayedAt.getTime() + COOLDOWN_MS - now.getTime();
  if (waitMs > 0) throw new ApiError('replay_cooldown', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** One ordered look-up by index per status. Pings are questions of their moment, answered by nobody's asking again. */
function findRequeueable(scope: Scope, endpoint: WebhookEndpoint, since: Date): Promise<Requeueable[]> {
  const statuses = statesBefore(DELIVERY, 'replay');
  const ofStatus = (status: string) => `(
    select id, created_at from webhook_deliveries
    where endpoint_id = $1 and created_at >= $2 and status = '${status}' and delivered_at is null and type <> 'ping'
      and ($3::text[] = '{}' or type = any ($3))
    order by created_at, id limit $4)`;
  return sql(scope.em, `${statuses.map(ofStatus).join(' union all ')} order by created_at, id limit $4`, [
    endpoint.id,
    since,
    endpoint.enabledEvents,
    MAX_EVENTS + 1,
  ]);
}

/** Due since the event happened, so that a replay goes out oldest first, behind everything that is new. */
async function requeue(scope: Scope, ids: string[]): Promise<void> {
  await sql(
    scope.em,
    `with again as (
       update webhook_deliveries set status = $2, ladder = 'replay', run_attempts = 0, rank = 2, due_at = created_at
       where id = any ($1) and status = any ($3) returning endpoint_id
     )
     select ${ENQUEUE_WAKE_UP} from (select distinct endpoint_id from again) as endpoint`,
    [ids, stateAfter(DELIVERY, 'replay'), statesBefore(DELIVERY, 'replay')],
  );
}
