import type { Query, Rule } from './evidence.ts';

/** Each query returns what breaks its rule, described in one column. */
export function rule(name: string, text: string): Rule {
  return { name, find: async (query) => (await query<{ broken: string }>(text)).map(({ broken }) => broken) };
}

/** Rules about the tables, for the time after all deliveries have ended. */
export const TABLE_RULES: readonly Rule[] = [
  // Every link that is not active any more has, at each endpoint that listened at that moment, each event of its change
  // exactly once. Endpoints count from their creation on; their filters are taken as they are now. `refunds/rules.ts` has
  // the rules about refunds and disputes.
  rule(
    'Q1 every change has its events',
    `with changed as (
       select l.*, t.status as payment, t.payment_method_type as method
       from payment_links l
       left join lateral (
         select * from transactions t where t.payment_link_id = l.id order by created_at desc limit 1
       ) as t on true
       where l.status <> 'active'
     ), expected as (
       select c.*, unnest(case
         when c.status <> 'paid' then array['payment_link.' || c.status]
         when method = 'card' then array['payment_link.paid']
         when payment = 'pending' then array['payment_link.processing']
         when payment = 'failed' then array['payment_link.processing', 'payment_link.failed']
         else array['payment_link.processing', 'payment_link.paid']
       end) as type
       from changed c
     )
     select e.id || ' ' || e.type || ' at ' || w.id || ': ' || count(d.id) as broken
     from expected e
     join webhook_endpoints w on w.practice_id = e.practice_id and w.test = e.test and w.created_at <= e.closed_at
       and (w.location_id is null or w.location_id = e.location_id)
       and (w.enabled_events = '{}' or e.type = any (w.enabled_events))
     left join webhook_deliveries d on d.endpoint_id = w.id and d.payment_link_id = e.id and d.type = e.type
     group by e.id, e.type, w.id having count(d.id) <> 1`,
  ),
  rule(
    'Q1 every delivery has ended',
    `select id || ' is ' || status as broken from webhook_deliveries
     where status not in ('delivered', 'exhausted', 'skipped')`,
  ),
  // Links of the runs carry their Idempotency-Key as external reference.
  rule(
    'Q1 one link per idempotency key',
    `select external_reference || ': ' || count(*) as broken from payment_links where external_reference is not null
     group by practice_id, test, external_reference having count(*) > 1`,
  ),
  // The record of a delivery agrees with that of its last attempt.
  rule(
    'Q2 delivered means that the last attempt got a 2xx',
    `select d.id || ' is ' || d.status || ' after ' || coalesce(a.error, a.response_status::text, 'nothing') as broken
     from webhook_deliveries d
     left join webhook_attempts a on a.delivery_id = d.id and a.number = d.attempt_count
     where (d.status = 'delivered') <> coalesce(a.error is null and a.response_status between 200 and 299, false)`,
  ),
  // Attempt numbers continue over delivery runs, so the limit of eight uses the run's own count.
  rule(
    'Q4 at most eight attempts in a delivery run, numbers without gaps, none left open',
    `select d.id || ': ' || d.attempt_count || ' counted, numbers ' || coalesce(min(a.number), 0) || ' to ' ||
       coalesce(max(a.number), 0) || ' in ' || count(a.number) || ' rows, ' ||
       d.run_attempts || ' in the delivery run, ' ||
       count(*) filter (where a.number is not null and a.duration_ms is null) || ' open' as broken
     from webhook_deliveries d left join webhook_attempts a on a.delivery_id = d.id
     group by d.id
     having count(a.number) <> d.attempt_count or coalesce(max(a.number), 0) <> d.attempt_count
       or d.run_attempts > 8 or (d.delivery_run = 'automatic' and d.attempt_count > 8)
       or count(*) filter (where a.number is not null and a.duration_ms is null) > 0`,
  ),
  // After a 2xx only a redelivery sends again. Two successes mean that two workers wrote about the same delivery.
  rule(
    'Q4 nothing is attempted after a 2xx',
    `select a.delivery_id || ': attempt ' || a.number || ' of ' || d.attempt_count || ' got ' ||
       a.response_status as broken
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where d.delivery_run = 'automatic' and a.number < d.attempt_count and a.response_status between 200 and 299`,
  ),
  // An interrupted attempt is followed at once, unless the one before it was interrupted as well. Counted are endpoints
  // that were idle for most of the wait, by the seconds in which they go on. A worker may die again at that moment, with the job
  // that finds what is due. All endpoints wait for that, so single exceptions are allowed.
  rule(
    'Q8 an interrupted event is attempted again at once',
    `with gap as (
       select a.delivery_id, date_trunc('second', b.started_at) as moment,
         extract(epoch from b.started_at - a.started_at) * 1000 - a.duration_ms as wait_ms, (
         select coalesce(sum(o.duration_ms), 0) from webhook_attempts o
         where o.endpoint_id = a.endpoint_id and o.started_at < b.started_at
           and o.started_at > a.started_at + make_interval(secs => a.duration_ms / 1000.0)
       ) as busy_ms
       from webhook_attempts a join webhook_attempts b on b.delivery_id = a.delivery_id and b.number = a.number + 1
       where a.error = 'interrupted' and not exists (
         select from webhook_attempts c
         where c.delivery_id = a.delivery_id and c.number = a.number - 1 and c.error = 'interrupted'
       )
     ), idle as (
       select * from gap where busy_ms * 2 <= greatest(wait_ms, 0)
     ), late as (
       select * from idle where wait_ms >= 4000
     )
     select delivery_id || ': waited ' || round(wait_ms) || ' ms' as broken from late
     where (select count(distinct moment) from late) > 2
       and (select count(distinct moment) from late) * 2 > (select count(distinct moment) from idle)`,
  ),
  // The link of an event is in the tables, in the state that the event reports.
  rule(
    'Q5 every event has its committed change',
    `select d.id || ' ' || d.type || ', but ' || d.payment_link_id || ' is ' || coalesce(l.status, 'unknown') as broken
     from webhook_deliveries d
     left join payment_links l on l.id = d.payment_link_id and l.practice_id = d.practice_id and l.test = d.test
     where d.payment_link_id is not null and l.status is distinct from case d.type
       when 'payment_link.cancelled' then 'cancelled' when 'payment_link.expired' then 'expired' else 'paid' end`,
  ),
];

/**
 * Q6: endpoints that have something due for longer than a dead worker's lease and a sweep can last, and nobody who
 * delivers to them. To be asked at any time after the last fault.
 *
 * @param boundMs lease plus one sweep, and a margin for a busy machine
 */
export async function findOverdueEndpoints(query: Query, boundMs: number): Promise<string[]> {
  const rows = await query<{ broken: string }>(
    `select w.id || ': due since ' || min(d.due_at) as broken
     from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
     where d.status in ('pending', 'retrying') and (w.lease_until is null or w.lease_until <= clock_timestamp())
     group by w.id having min(d.due_at) < clock_timestamp() - make_interval(secs => $1)`,
    [boundMs / 1_000],
  );
  return rows.map(({ broken }) => broken);
}
