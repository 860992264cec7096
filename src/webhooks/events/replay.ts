import type { PaymentLinkEventType, WebhookReplay } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { type AccessScope, fresh, type Scope } from '../../platform/base/scope.ts';
import { stateAfter, statesBefore } from '../../platform/base/state-machine.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { WAKE_UP } from '../../platform/jobs/wake-up.ts';
import { auditEndpointAct } from '../endpoints/acts.ts';
import { getVisibleEndpoint, lockVisibleEndpoint, requireDeliverable } from '../endpoints/service.ts';
import type { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { DELIVERY } from '../model/transitions.ts';
import { type EventContent, queueDeliveries } from './publish.ts';

export interface MissedChange {
  paymentLinkId: string;
  at: Date;
  /** The event, with the resource in its present state. */
  content: EventContent<PaymentLinkEventType>;
}

/** Port to the changes that an endpoint missed. */
export interface MissedChanges {
  /**
   * Finds links with a change since `since` for which the endpoint has no delivery of that type, oldest first. It reads all links that
   * closed since then, so it runs outside any transaction.
   */
  findLinkIds(scope: Scope, endpoint: WebhookEndpoint, since: Date, limit: number): Promise<string[]>;
  /** Returns what the endpoint missed of these links until now, oldest first. */
  load(scope: Scope, endpoint: WebhookEndpoint, since: Date, linkIds: string[]): Promise<MissedChange[]>;
}

/** 30 days (openapi.yaml, `ReplayWebhookEndpointRequest`). */
const MAX_WINDOW_MS = 30 * 86_400_000;

/** Number per replay (openapi.yaml, operation `replayWebhookEndpoint`, as the next limit). */
const MAX_EVENTS = 1000;

const COOLDOWN_MS = 600_000;

/**
 * Queues deliveries that never succeeded again, with their ids, and adds events for the changes that the endpoint
 * missed. The long search runs before the lock; under it, only the links found are checked again.
 * @throws ApiError `validation_error` (since), `not_found`, `endpoint_disabled`, `webhooks_unavailable`,
 *   `replay_cooldown`; a refused replay starts no cooldown
 */
export async function replay(
  scope: AccessScope,
  missedChanges: MissedChanges,
  endpointId: string,
  since: Date,
): Promise<WebhookReplay> {
  const links = await findMissedLinks(scope, missedChanges, endpointId, since);
  return inTransaction(scope, async (scope) => {
    const endpoint = await lockVisibleEndpoint(scope, endpointId);
    requireReplayable(scope, endpoint);
    endpoint.replayedAt = scope.clock.now();
    await scope.em.flush();
    const { requeued, added, capped } = await chooseOldest(scope, missedChanges, endpoint, since, links);
    await requeue(scope, requeued);
    await queueDeliveries(
      scope,
      added.map(({ at, ...change }) => ({ ...change, endpoint, missedAt: at })),
    );
    const counts = { since: since.toISOString(), requeuedCount: requeued.length, freshCount: added.length, capped };
    auditEndpointAct(scope, 'replayed', endpoint, { after: counts });
    return { object: 'webhook_replay', endpointId, ...counts };
  });
}

export type ReplayPreview = Pick<WebhookReplay, 'requeuedCount' | 'freshCount' | 'capped'>;

/** Counts what a replay would send now, and changes nothing. @throws ApiError as `replay` */
export async function previewReplay(
  scope: AccessScope,
  missedChanges: MissedChanges,
  endpointId: string,
  since: Date,
): Promise<ReplayPreview> {
  const links = await findMissedLinks(scope, missedChanges, endpointId, since);
  const endpoint = await getVisibleEndpoint(scope, endpointId);
  const { requeued, added, capped } = await chooseOldest(scope, missedChanges, endpoint, since, links);
  return { requeuedCount: requeued.length, freshCount: added.length, capped };
}

/** @throws ApiError `validation_error` (since) */
function requireInWindow({ clock }: Scope, since: Date): void {
  const agoMs = clock.now().getTime() - since.getTime();
  if (agoMs < 0 || agoMs > MAX_WINDOW_MS) {
    const message = 'since must be a time in the past, at most 30 days ago.';
    throw new ApiError('validation_error', { param: 'since', message });
  }
}

/** Chooses the oldest of both, at most 1,000 in all. */
async function chooseOldest(
  scope: Scope,
  missedChanges: MissedChanges,
  endpoint: WebhookEndpoint,
  since: Date,
  links: string[],
): Promise<{ requeued: string[]; added: MissedChange[]; capped: boolean }> {
  const deliveries = await findRequeueable(scope, endpoint, since);
  const changes = await missedChanges.load(scope, endpoint, since, links);
  const oldestFirst = [...deliveries, ...changes].sort((a, b) => a.at.getTime() - b.at.getTime());
  const events = oldestFirst.slice(0, MAX_EVENTS);
  return {
    requeued: events.flatMap((one) => ('id' in one ? [one.id] : [])),
    added: events.filter((one) => 'content' in one),
    capped: oldestFirst.length > MAX_EVENTS || links.length > MAX_EVENTS,
  };
}

async function findMissedLinks(
  scope: AccessScope,
  missedChanges: MissedChanges,
  endpointId: string,
  since: Date,
): Promise<string[]> {
  requireInWindow(scope, since);
  // So that an endpoint read without a lock is not reused under the lock.
  const unlockedScope = fresh(scope);
  const endpoint = await getVisibleEndpoint(unlockedScope, endpointId);
  requireReplayable(unlockedScope, endpoint);
  return missedChanges.findLinkIds(unlockedScope, endpoint, since, MAX_EVENTS + 1);
}

/** @throws ApiError `endpoint_disabled`, `webhooks_unavailable`, `replay_cooldown` */
function requireReplayable(scope: Scope, endpoint: WebhookEndpoint): void {
  requireDeliverable(scope, endpoint);
  const { replayedAt } = endpoint;
  const waitMs = replayedAt === null ? 0 : replayedAt.getTime() + COOLDOWN_MS - scope.clock.now().getTime();
  if (waitMs > 0) throw new ApiError('replay_cooldown', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** Finds one more than fits into a replay, by one index scan per status. Pings and examples have no link, and are left out. */
async function findRequeueable(scope: Scope, endpoint: WebhookEndpoint, since: Date) {
  const statuses = statesBefore(DELIVERY, 'replay');
  const ofStatus = (status: string) => `(
    select id, created_at from webhook_deliveries
    where endpoint_id = $1 and created_at >= $2
      and status = '${status}' and delivered_at is null and payment_link_id is not null and ($3::text[] = '{}' or type = any ($3))
    order by created_at, id limit $4)`;
  const rows = await sql<{ id: string; created_at: string }>(
    scope.em,
    `${statuses.map(ofStatus).join(' union all ')} order by created_at, id limit $4`,
    [endpoint.id, since, endpoint.enabledEvents, MAX_EVENTS + 1],
  );
  return rows.map(({ id, created_at }) => ({ id, at: new Date(created_at) }));
}

/** Queues the deliveries again. Each is due at the time of its event, so they are sent oldest first, behind all new events. */
async function requeue(scope: Scope, ids: string[]): Promise<void> {
  await sql(
    scope.em,
    `with requeued as (
       update webhook_deliveries set status = $2, delivery_run = 'replay', run_attempts = 0, rank = 2, due_at = created_at
       where id = any ($1) and status = any ($3) returning endpoint_id
     )
     select ${WAKE_UP} from (select distinct endpoint_id from requeued) as endpoint`,
    [ids, stateAfter(DELIVERY, 'replay'), statesBefore(DELIVERY, 'replay')],
  );
}
