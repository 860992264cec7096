import { auditOwnAct } from '../audit/audit.ts';
import { firstIdAt } from '../base/ids.ts';
import type { Invariant, Repair, Violation } from '../base/invariant.ts';
import type { Scope } from '../base/scope.ts';
import { type SqlValue, sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';
import { lockVisibleEndpoint } from '../webhooks/endpoints/service.ts';
import { queueDeliveries } from '../webhooks/events/publish.ts';
import { STATE_EVENT_TYPE } from './link/events.ts';
import { missedChanges } from './read/missed-changes.ts';

/*
 * Events that were lost, or published twice. A change and its deliveries are one transaction, and each statement here sees one
 * moment. So no change is found before its event is there.
 */

const NAME = 'changes_have_their_events';

/** Links of one statement. */
export const CHUNK_ROWS = 5_000;

/** Most violations of one statement. */
export const MOST = 1_000;

/** Younger links are left out. So are changes at about the time at which an endpoint was made or its filter changed. */
export const MARGIN = "interval '10 minutes'";

/** Links that closed before that are left out: delivered events are deleted after 30 days. */
export const WINDOW = "interval '29 days'";

/** A day more than the window. */
const OLDEST_ACT_MS = 30 * 86_400_000;

/**
 * Query for the endpoints of the practice `$2` and the mode `$3`, with the time since which they have been subscribed as they are
 * now. `$5` is the first id of the audit log that counts. Plan hint FENCE for statements with this query: the audit log is read once
 * for each endpoint.
 *
 * Version 1.0.0 wrote no audit log. A day after the migration that begins it, no process of 1.0.0 changes filters any more. In a new
 * installation all migrations ran together.
 */
export const SUBSCRIBED = `
  select w.id, w.location_id, w.enabled_events, ${MARGIN} + greatest(w.created_at, (
    select max(a.created_at) from audit_log a
    where a.practice_id = w.practice_id and a.target_id = w.id and a.id >= $5
      and a.action in ('endpoint.changed', 'endpoint.enabled', 'endpoint.disabled')
      and a.before ->> 'enabledEvents' is distinct from a.after ->> 'enabledEvents'
  ), (
    select m.executed_at + interval '1 day' from schema_migrations m join schema_migrations f on f.name = '0001-schema'
    where m.name = '0003-console' and m.executed_at > f.executed_at + interval '1 hour'
  )) as since
  from webhook_endpoints w where w.practice_id = $2 and w.test = $3 and w.deleted_at is null`;

/** Practice and mode. */
export interface PracticeMode {
  practiceId: string;
  test: boolean;
}

/** Place of a link, or of a row of it, in an order of time. */
export interface Place {
  at: string;
  id: string;
  linkId: string;
}

/** Event that an endpoint has not got exactly once. */
interface Fault {
  endpointId: string;
  linkId: string;
  type: string;
  /** Time of the change, as PostgreSQL writes it. For a returned debit the time of its submission. */
  at: string;
  deliveries: number;
  isPresentState: boolean;
}

/**
 * Rule that each change of a link has one event for each endpoint that was subscribed to it, also for a disabled one. Of a
 * bank debit it is the submission, too. Endpoints count from their last change of filters on.
 */
export const CHANGES_HAVE_THEIR_EVENTS = eventRule({
  name: NAME,
  readAfter: ({ em, clock }, list, place) => sql(em, ...closedAfter(list, place, clock.shared())),
  findFaults: async (scope, list, linkIds) =>
    (await findFaults(scope, list, linkIds)).map((fault) => violation(list, fault)),
});

/** Creates a rule about the events of links. It takes the practices and modes with an endpoint one by one, and their links in chunks. */
export function eventRule({
  name,
  readAfter,
  findFaults,
}: {
  name: string;
  /** Reads the next `CHUNK_ROWS` places of the window, oldest first; from its beginning if the place is null. */
  readAfter: (scope: Scope, list: PracticeMode, place: Place | null) => Promise<Place[]>;
  findFaults: (scope: Scope, list: PracticeMode, linkIds: readonly string[]) => Promise<Violation[]>;
}): Invariant {
  return {
    name,
    async *find(newScope, { practiceId }) {
      for (const list of await findPracticeModes(newScope(), practiceId)) {
        let place: Place | null = null;
        do {
          const rows: Place[] = await readAfter(newScope(), list, place);
          const linkIds = [...new Set(rows.map(({ linkId }) => linkId))];
          if (linkIds.length > 0) yield* await findFaults(newScope(), list, linkIds);
          place = rows.length < CHUNK_ROWS ? null : (rows.at(-1) ?? null);
        } while (place !== null);
      }
    },
  };
}

/** Returns the first id of the audit log whose act counts. Older changes of filters were made before the window. */
export function oldestAct(clock: Scope['clock']): string {
  return firstIdAt('auditEntry', new Date(clock.now().getTime() - OLDEST_ACT_MS));
}

/** Returns the practices and modes that have an endpoint. */
function findPracticeModes({ em }: Scope, practiceId: string | null): Promise<PracticeMode[]> {
  return sql(
    em,
    `select distinct w.practice_id as "practiceId", w.test from webhook_endpoints w
     where w.deleted_at is null and ($1::text is null or w.practice_id = $1) order by 1, 2`,
    [practiceId],
  );
}

/**
 * Returns the statement for the links that closed after a place, and its values. The time of the statement, unlike the time of
 * the clock, can bound the scan of an index. Exported for the test of its plan.
 */
export function closedAfter(
  { practiceId, test }: PracticeMode,
  place: Pick<Place, 'at' | 'id'> | null,
  now: Date | null,
): [string, SqlValue[]] {
  return [
    `select l.closed_at::text as at, l.id, l.id as "linkId" from payment_links l
     where l.practice_id = $1 and l.test = $2 and l.closed_at < coalesce($5::timestamptz, statement_timestamp()) - ${MARGIN}
       and (l.closed_at, l.id) >
         (coalesce($3::timestamptz, coalesce($5::timestamptz, statement_timestamp()) - ${WINDOW}), coalesce($4, ''))
     order by l.closed_at, l.id limit ${CHUNK_ROWS}`,
    [practiceId, test, place?.at ?? null, place?.id ?? null, now],
  ];
}

/** Returns the faults of the links, by one statement that reads each table by an index. */
function findFaults(
  { em, clock }: Scope,
  { practiceId, test }: PracticeMode,
  linkIds: readonly string[],
): Promise<Fault[]> {
  return sql(
    em,
    `with subscribed as materialized (${SUBSCRIBED}
     ), change as (
       select l.id, l.location_id, c.*
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
       where l.id = any ($1) and l.status <> 'active'
     ), counted as (
       select w.id as endpoint_id, c.id as link_id, c.type, c.at, c.is_present, 0 as deliveries
       from change c join subscribed w on c.at >= w.since
         and (w.location_id is null or w.location_id = c.location_id)
         and (w.enabled_events = '{}' or c.type = any (w.enabled_events))
       where c.at < coalesce($4::timestamptz, statement_timestamp()) - ${MARGIN}
       union all
       select endpoint_id, payment_link_id, type, null, null, 1 from webhook_deliveries where payment_link_id = any ($1)
     )
     select endpoint_id as "endpointId", link_id as "linkId", type, max(at)::text as at,
       bool_or(is_present) as "isPresentState", sum(deliveries)::integer as deliveries
     from counted group by endpoint_id, link_id, type having max(at) is not null and sum(deliveries) <> 1
     order by max(at), link_id, endpoint_id, type limit ${MOST}`,
    [linkIds, practiceId, test, clock.shared(), oldestAct(clock)],
  );
}

function violation(list: PracticeMode, fault: Fault): Violation {
  const { endpointId, linkId, type, at, deliveries } = fault;
  const count = deliveries === 0 ? 'no event' : `${deliveries} events`;
  const time = new Date(at).toISOString();
  const problem = `the endpoint ${endpointId} has ${count} ${type} of ${linkId}, which changed at ${time}`;
  return { practiceId: list.practiceId, problem, remedy: remedyOf(list, fault) };
}

function remedyOf(list: PracticeMode, fault: Fault): Repair | string {
  if (fault.deliveries > 0) return 'ask the practice whether its receiver acted twice, and report it';
  if (!fault.isPresentState) return 'inform the practice, because the event showed a state that is over, and report it';
  return lostEventRepair(list, fault);
}

/**
 * Returns the repair of a lost event. It looks again under the lock that a replay takes, so that nobody adds the same event at the
 * same time. If the link has changed since, that change has published its own event.
 */
function lostEventRepair({ practiceId, test }: PracticeMode, { endpointId, linkId, type }: Fault): Repair {
  return {
    does: 'queue the event as a replay does, with the present state of the link',
    run: (scope) =>
      inTransaction({ ...scope, caller: { practiceId, test, locationId: null } }, async (scope) => {
        const endpoint = await lockVisibleEndpoint(scope, endpointId);
        const missed = await missedChanges.load(scope, endpoint, new Date(0), [linkId]);
        const added = missed.filter(({ content }) => content.type === type);
        if (added.length === 0) return false;
        await queueDeliveries(
          scope,
          added.map(({ at, ...change }) => ({ ...change, endpoint, missedAt: at })),
        );
        const target = { kind: 'payment_link', id: linkId };
        auditOwnAct(scope, { practiceId, action: 'data.repaired', target, after: { invariant: NAME, endpointId } });
        return true;
      }),
  };
}
