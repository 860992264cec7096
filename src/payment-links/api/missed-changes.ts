import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import type { MissedChange, MissedChanges } from '../../webhooks/events/replay.ts';
import type { WebhookEndpoint } from '../../webhooks/model/endpoint.entity.ts';
import { latestTransactionSql } from '../model/transaction.entity.ts';
import { makeContent, STATE_EVENT_TYPE, stateEvent } from '../state/events.ts';
import { linkEventView } from '../state/views.ts';
import { postgres } from '../store/postgres.ts';

interface Candidate {
  id: string;
  type: string;
  at: string;
}

/**
 * Finds links that were paid, cancelled or expired since a time, or whose debit has settled since. Only links count for which
 * the endpoint has no delivery of that event: it did not exist yet, was disabled, or was not subscribed. A pending or returned
 * payment has the event of its present state.
 */
export const missedChanges: MissedChanges = {
  async findLinkIds(scope, endpoint, since, limit) {
    return (await findCandidates(scope, endpoint, since, limit)).map(({ id }) => id);
  },

  async load(scope, endpoint, since, linkIds) {
    // Until the events are written, no change may publish a later one, and no patient may be erased.
    if (scope.em.isInTransaction())
      await sql(scope.em, 'select from payment_links where id = any ($1) order by id for share', [linkIds]);
    const candidates = await findCandidates(scope, endpoint, since, linkIds.length, linkIds);
    const reads = await postgres.read(
      scope,
      candidates.map(({ id }) => ({ id, viewer: null })),
    );
    return candidates.flatMap(({ id, type, at }, index): MissedChange[] => {
      const state = reads[index]?.state;
      if (state === undefined) return [];
      const event = stateEvent(state);
      // If the state has changed since the search, that change publishes an event itself.
      if (event.type !== type) return [];
      return [
        { paymentLinkId: id, at: new Date(at), content: makeContent(event, linkEventView(scope, state.link, state)) },
      ];
    });
  },
};

/**
 * Finds the earliest missed changes among all links, or these. Both branches read an index in its order and stop at the limit. Most links
 * have a delivery of their present status, so the payment is read for the remaining links only.
 */
function findCandidates(
  scope: Scope,
  endpoint: WebhookEndpoint,
  since: Date,
  limit: number,
  linkIds: string[] | null = null,
): Promise<Candidate[]> {
  const { practiceId, test, locationId, enabledEvents, id } = endpoint;
  const undelivered = (type: string) => `not exists (
    select from webhook_deliveries d where d.payment_link_id = l.id and d.endpoint_id = $6 and d.type = ${type})`;
  const visible = `${visibleRowsSql('l', '$1', '$2', '$4')}
    and ($8::text[] is null or l.id = any ($8)) and ${undelivered(`'payment_link.' || l.status`)}`;
  const subscribed = `($5::text[] = '{}' or change.type = any ($5)) and ${undelivered('change.type')}`;
  return sql<Candidate>(
    scope.em,
    `select id, type, at from (
       (select l.id, change.type, change.at
        from (
          select id, status, closed_at from payment_links l where closed_at >= $3 and ${visible}
        ) as l
        left join lateral (${latestTransactionSql('t.status, t.processed_at')}) as t on true
        cross join lateral (
          select ${STATE_EVENT_TYPE} as type,
            greatest(l.closed_at, t.processed_at) as at
        ) as change
        where ${subscribed}
        order by l.closed_at, l.id limit $7)
       union all
       (select l.id, change.type, t.processed_at
        from transactions t join payment_links l on l.id = t.payment_link_id
        cross join lateral (select 'payment_link.paid' as type) as change
        where t.practice_id = $1 and t.processed_at > t.created_at and t.processed_at >= $3 and t.status <> 'failed'
          and l.closed_at < $3 and ${visible} and ${subscribed}
        order by t.processed_at, l.id limit $7)
     ) as missed
     order by at, id limit $7`,
    [practiceId, test, since, locationId, enabledEvents, id, limit, linkIds],
  );
}
