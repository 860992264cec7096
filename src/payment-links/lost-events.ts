import type { Repair } from '../base/invariant.ts';
import { rowInvariant, textOfTime, type ViolatingRow } from '../database/query/rule-invariant.ts';
import { lockVisibleEndpoint } from '../webhooks/endpoints/service.ts';
import { queueDeliveries } from '../webhooks/events/publish.ts';
import { STATE_EVENT_TYPE } from './link/events.ts';
import { missedChanges } from './read/missed-changes.ts';

/*
 * Events that were lost, or published twice. A change and its deliveries are one transaction, and a statement sees one moment. So no
 * change is found before its event is there.
 */

/** Leaves out changes of the last minutes, and changes near the moment when an endpoint was made or its filter changed. */
const MARGIN = "interval '10 minutes'";

/** Leaves out older changes, because delivered events are deleted after 30 days. */
const WINDOW = "interval '29 days'";

/** An endpoint has more or fewer events of one type and link than it should have. */
interface LostRow extends ViolatingRow {
  endpointId: string;
  test: boolean;
  type: string;
  /** True if the event shows the present state of the link. */
  isPresent: boolean;
  deliveries: number;
  wanted: number;
}

/**
 * Rule that an endpoint has as many events of a link as the link has had changes since the endpoint was subscribed. A disabled
 * endpoint has them, too. The submission of a bank debit is a change. A refund that failed later needs no event, and may have one.
 *
 * - `made` has the changes, each at the time of its record: a returned debit at the time of its submission.
 * - `subscribed` has the time since which an endpoint has been subscribed as it is now. The audit log has the changes of its filter.
 *   Version 1.0.0 had no audit log. A day after the migration that added it, no process of 1.0.0 changes filters any more. In a new
 *   installation all migrations ran together.
 * - `expected` has the numbers of events. Records and deliveries count from the same time on, because retention deletes deliveries.
 *
 * Plan hint FENCE: the audit log is read once for each endpoint, and only for endpoints of practices with changes in the window.
 */
export const CHANGES_HAVE_THEIR_EVENTS = rowInvariant(
  'changes_have_their_events',
  'payment_links',
  remedyOf,
  `with made as (
     select l.id as link_id, c.*, true as is_needed
     from payment_links l
       left join lateral (
         select status, processed_at, payment_method_type from transactions where payment_link_id = l.id
         order by created_at desc, id desc limit 1
       ) as t on true
       cross join lateral (
         select ${STATE_EVENT_TYPE} as type, greatest(l.closed_at, t.processed_at) as at, true as is_present
         union all
         select 'payment_link.processing', l.closed_at, false
         where t.payment_method_type = 'us_bank_account' and t.status <> 'pending'
       ) as c
     where l.id = any ($2) and l.status <> 'active'
     union all
     select payment_link_id, 'payment_link.refunded', created_at, false, status = 'succeeded' from refunds
     where payment_link_id = any ($2) and status <> 'pending'
     union all
     select payment_link_id, 'payment_link.disputed', created_at, false, true from disputes where payment_link_id = any ($2)
     union all
     select payment_link_id, 'payment_link.dispute_closed', created_at, false, true from disputes
     where payment_link_id = any ($2) and status <> 'open'
   ), recent as materialized (
     select m.*, l.practice_id, l.test, l.location_id
     from (select *, count(*) over (partition by link_id, type)::integer as most from made) as m
       join payment_links l on l.id = m.link_id
     where m.at >= present.at - ${WINDOW} and m.at < present.at - ${MARGIN}
   ), subscribed as materialized (
     select w.*, ${MARGIN} + greatest(w.created_at, (
       select max(a.created_at) from audit_log a where a.practice_id = w.practice_id and a.target_id = w.id
         and a.action in ('endpoint.changed', 'endpoint.enabled', 'endpoint.disabled')
         and a.before ->> 'enabledEvents' is distinct from a.after ->> 'enabledEvents'
     ), (
       select m.executed_at + interval '1 day' from schema_migrations m join schema_migrations f on f.name = '0001-schema'
       where m.name = '0003-console' and m.executed_at > f.executed_at + interval '1 hour'
     )) as since
     from webhook_endpoints w where w.deleted_at is null and w.practice_id in (select practice_id from recent)
   ), expected as (
     select w.id as endpoint_id, w.practice_id, w.test, m.link_id, m.type, min(m.at) as since, bool_or(m.is_present) as is_present,
       count(*) filter (where m.is_needed)::integer as needed, max(m.most) as most
     from recent m join subscribed w on w.practice_id = m.practice_id and w.test = m.test and m.at >= w.since
       and (w.location_id is null or w.location_id = m.location_id)
       and (w.enabled_events = '{}' or m.type = any (w.enabled_events))
     group by w.id, w.practice_id, w.test, m.link_id, m.type
   )
   select e.link_id as id, e.practice_id as "practiceId", e.endpoint_id as "endpointId", e.test, e.type,
     e.is_present as "isPresent", f.deliveries, f.wanted, 'the endpoint ' || e.endpoint_id || ' has ' || f.deliveries ||
     ' events ' || e.type || ' of ' || e.link_id || ' instead of ' || f.wanted || ', since ' || ${textOfTime('e.since')} as problem
   from expected e
     cross join lateral (
       select count(*) filter (where created_at >= e.since - ${MARGIN})::integer as recent, count(*)::integer as every
       from webhook_deliveries where payment_link_id = e.link_id and endpoint_id = e.endpoint_id and type = e.type
     ) as d
     cross join lateral (
       select d.every as deliveries, e.most as wanted where d.every > e.most
       union all
       select d.recent, e.needed where d.every <= e.most and d.recent < e.needed
     ) as f
   order by e.since, e.link_id, e.endpoint_id, e.type`,
);

function remedyOf(row: LostRow): Repair | string {
  if (row.deliveries > row.wanted) return 'ask the practice whether its receiver acted twice, and report it';
  return row.isPresent
    ? lostEventRepair(row)
    : 'inform the practice, whose console shows what happened to the link, and report it';
}

/**
 * Returns the repair of a lost event. It looks again under the lock that a replay takes, so that nobody adds the same event at the
 * same time. If the link has changed since, that change has published its own event.
 */
function lostEventRepair({ id, practiceId, endpointId, test, type }: LostRow): Repair {
  return {
    description: 'queue the event as a replay does, with the present state of the link',
    async run(scope) {
      const caller = { practiceId, test, locationId: null };
      const endpoint = await lockVisibleEndpoint({ ...scope, caller }, endpointId);
      const missed = await missedChanges.load(scope, endpoint, new Date(0), [id]);
      const added = missed.filter(({ content }) => content.type === type);
      await queueDeliveries(
        scope,
        added.map(({ at, ...change }) => ({ ...change, endpoint, missedAt: at })),
      );
      return added.length === 0 ? null : { target: { kind: 'payment_link', id }, details: { endpointId } };
    },
  };
}
