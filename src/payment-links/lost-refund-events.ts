import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import {
  CHUNK_ROWS,
  eventRule,
  MARGIN,
  MOST,
  oldestAct,
  type Place,
  type PracticeMode,
  SUBSCRIBED,
  WINDOW,
} from './lost-events.ts';

interface Fault {
  endpointId: string;
  linkId: string;
  type: string;
  happened: number;
  deliveries: number;
}

const PRESENT = 'coalesce($4::timestamptz, statement_timestamp())';

/** A person decides: a replay does not add these events. */
const REMEDY = 'inform the practice, whose console shows the refunds and disputes of the link, and report it';

/**
 * Rule that an endpoint has at least as many events as a link has had refunds and disputes since it was subscribed. Their events
 * are published with or after their records. A refund that failed later needs none, and may have one. An endpoint never has more
 * events than there are records.
 */
export const REFUNDS_HAVE_THEIR_EVENTS = eventRule({
  name: 'refunds_have_their_events',
  readAfter: madeAfter,
  findFaults: async (scope, list, linkIds) =>
    (await findFaults(scope, list, linkIds)).map(({ linkId, endpointId, type, happened, deliveries }) => ({
      practiceId: list.practiceId,
      problem: `the endpoint ${endpointId} has ${deliveries} events ${type} of ${linkId}, but ${happened} are on record`,
      remedy: REMEDY,
    })),
});

/** Reads the next refunds and disputes of the window. A link may be in two chunks, and is then reported twice. */
function madeAfter({ em, clock }: Scope, { practiceId }: PracticeMode, place: Place | null): Promise<Place[]> {
  // Plan hint LIMITED_PIECES.
  const pieces = ['refunds', 'disputes'].map(
    (table) => `(
      select created_at, id, payment_link_id from ${table}
      where practice_id = $1 and created_at < ${PRESENT} - ${MARGIN}
        and created_at >= coalesce($2::timestamptz, ${PRESENT} - ${WINDOW})
        and (created_at, id) > (coalesce($2::timestamptz, '-infinity'), coalesce($3, ''))
      order by created_at, id limit ${CHUNK_ROWS})`,
  );
  return sql(
    em,
    `select created_at::text as at, id, payment_link_id as "linkId" from (${pieces.join(' union all ')}) as made
     order by made.created_at, id limit ${CHUNK_ROWS}`,
    [practiceId, place?.at ?? null, place?.id ?? null, clock.shared()],
  );
}

/** Counts records and events from the same time on, so that events which retention has deleted have no record here. */
function findFaults(
  { em, clock }: Scope,
  { practiceId, test }: PracticeMode,
  linkIds: readonly string[],
): Promise<Fault[]> {
  return sql(
    em,
    `with subscribed as materialized (${SUBSCRIBED}
     ), made as (
       select payment_link_id, 'payment_link.refunded' as type, created_at, status = 'succeeded' as is_needed from refunds
       where payment_link_id = any ($1) and status <> 'pending'
       union all
       select payment_link_id, 'payment_link.disputed', created_at, true from disputes where payment_link_id = any ($1)
       union all
       select payment_link_id, 'payment_link.dispute_closed', created_at, true from disputes
       where payment_link_id = any ($1) and status <> 'open'
     ), expected as (
       select w.id as endpoint_id, l.id as link_id, m.type, min(m.created_at) as since,
         count(*) filter (where m.is_needed)::integer as happened,
         (select count(*)::integer from made where payment_link_id = l.id and type = m.type) as most
       from made m join payment_links l on l.id = m.payment_link_id and l.test = $3
         join subscribed w on m.created_at >= w.since and (w.location_id is null or w.location_id = l.location_id)
           and (w.enabled_events = '{}' or m.type = any (w.enabled_events))
       where m.created_at >= ${PRESENT} - ${WINDOW} and m.created_at < ${PRESENT} - ${MARGIN}
       group by w.id, l.id, m.type
     )
     select e.endpoint_id as "endpointId", e.link_id as "linkId", e.type,
       case when d.every > e.most then e.most else e.happened end as happened,
       case when d.every > e.most then d.every else d.deliveries end as deliveries
     from expected e, lateral (
       select count(*) filter (where d.created_at >= e.since - ${MARGIN})::integer as deliveries, count(*)::integer as every
       from webhook_deliveries d
       where d.payment_link_id = e.link_id and d.endpoint_id = e.endpoint_id and d.type = e.type
     ) as d
     where d.deliveries < e.happened or d.every > e.most order by e.since, 2, 1, 3 limit ${MOST}`,
    [linkIds, practiceId, test, clock.shared(), oldestAct(clock)],
  );
}
