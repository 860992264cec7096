import type { Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import type { WebhookEndpoint } from '../webhooks/endpoint.entity.ts';
import type { MissedChange } from '../webhooks/replay.ts';
import { type ClosedBy, PaymentLink } from './payment-link.entity.ts';
import { type LinkParts, linkEventView, loadParts } from './views.ts';

interface Candidate {
  id: string;
  type: string;
}

/**
 * Links that were paid, cancelled or expired since, and of which the endpoint has no delivery of that event: it did not
 * exist yet, or was disabled. A payment that is still pending or was returned counts as its present state. Oldest
 * first.
 */
export async function findMissedChanges(
  scope: Scope,
  endpoint: WebhookEndpoint,
  since: Date,
  limit: number,
): Promise<MissedChange[]> {
  const candidates = await sql<Candidate>(
    scope.em,
    `select l.id, change.type
     from payment_links l
     left join lateral (
       select status from transactions where payment_link_id = l.id order by created_at desc, id desc limit 1
     ) as t on true
     cross join lateral (
       select 'payment_link.' || case when t.status = 'pending' then 'processing' when t.status = 'failed' then 'failed'
         else l.status end as type
     ) as change
     where l.practice_id = $1 and l.test = $2 and l.closed_at >= $3
       and ($4::text is null or l.location_id = $4) and ($5::text[] = '{}' or change.type = any ($5))
       and not exists (
         select from webhook_deliveries d
         where d.payment_link_id = l.id and d.endpoint_id = $6 and d.type = change.type
       )
     order by l.closed_at, l.id limit $7`,
    [endpoint.practiceId, endpoint.test, since, endpoint.locationId, endpoint.enabledEvents, endpoint.id, limit],
  );
  const links = await scope.em.find(PaymentLink, { id: { $in: candidates.map(({ id }) => id) } });
  const linkById = new Map(links.map((link) => [link.id, link]));
  const parts = await loadParts(scope, links);
  return candidates.flatMap(({ id, type }) => {
    const link = linkById.get(id);
    const own = parts.get(id);
    return link === undefined || own === undefined ? [] : [missedChange(scope, link, own, type)];
  });
}

function missedChange(scope: Scope, link: PaymentLink, parts: LinkParts, type: string): MissedChange {
  return {
    paymentLinkId: link.id,
    type,
    at: link.closedAt ?? link.createdAt,
    data: { paymentLink: linkEventView(scope, link, parts), context: contextOf(link, parts, type) },
  };
}

/** The context the event had, or would have had, when it happened. */
function contextOf({ closedBy }: PaymentLink, { transaction }: LinkParts, type: string): object | null {
  const simulated = closedBy === 'simulated' ? { triggeredBy: 'simulated' satisfies ClosedBy } : null;
  if (type === 'payment_link.failed') return { failureReason: transaction?.failureReason ?? null, ...simulated };
  if (type === 'payment_link.cancelled' || type === 'payment_link.expired') return { triggeredBy: closedBy };
  return simulated;
}
