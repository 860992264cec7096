import type { Invariant } from '../base/invariant.ts';
import { rowInvariant, waitingInvariant } from '../database/query/rule-invariant.ts';
import { leaseRepair, MOST_LEASE_MINUTES, wakeUpRepair } from './delivery/repair.ts';
import { DEFAULT_RETRY_SECONDS } from './model/retry-schedule.ts';

/** Attempts of one delivery run: the first one, and one after each wait. */
const MOST_ATTEMPTS = DEFAULT_RETRY_SECONDS.length + 1;

/** Condition that an attempt `a` got a 2xx. It ends an automatic delivery run. */
const SUCCEEDED = 'a.error is null and a.response_status between 200 and 299';

/** Rules of deliveries, for `paylinks check`. */
export const DELIVERY_INVARIANTS: readonly Invariant[] = [
  // Longer than a dead worker's lease and the sweep that follows.
  waitingInvariant(
    'deliveries_are_attempted_when_due',
    wakeUpRepair,
    `select w.id, d.practice_id, count(*) || ' deliveries of the ' || w.status || ' endpoint ' || w.id || ' are due since ' ||
       to_char(min(d.due_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ||
       ', and no worker delivers to it: is one running, and does it have the key of the secret?' as problem
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.status in ('pending', 'retrying') and ($1::text is null or d.practice_id = $1)
       and d.due_at < coalesce($2::timestamptz, clock_timestamp()) - interval '10 minutes'
       and (w.lease_until is null or w.lease_until < coalesce($2::timestamptz, clock_timestamp()))
     group by d.practice_id, w.id`,
  ),
  waitingInvariant(
    'leases_end_in_time',
    leaseRepair,
    `select w.id, w.practice_id, 'the endpoint ' || w.id || ' is leased until ' ||
       to_char(w.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ||
       ', and until then no worker delivers to it: was the clock of the database wrong?' as problem
     from webhook_endpoints w
     where w.lease_until > coalesce($2::timestamptz, clock_timestamp()) + interval '${MOST_LEASE_MINUTES} minutes'
       and ($1::text is null or w.practice_id = $1)`,
  ),
  rowInvariant(
    'deliveries_agree_with_attempts',
    'webhook_deliveries',
    'compare it with the lines "webhook attempt" of the log, send it again in the console if it did not arrive, and report it',
    `select d.id, d.practice_id, d.id || ' is ' || d.status || ' with ' || d.attempt_count || ' attempts, but has ' || count(a.number) ||
       ' on record, the last with ' || coalesce((array_agg(coalesce(a.error, a.response_status::text)
         order by a.number desc) filter (where a.duration_ms is not null))[1], 'no outcome') as problem
     from webhook_deliveries d left join webhook_attempts a on a.delivery_id = d.id
     where d.id = any ($1)
     group by d.id
     having count(a.number) <> d.attempt_count or coalesce(max(a.number), 0) <> d.attempt_count
       or d.run_attempts > ${MOST_ATTEMPTS}
       or d.status = 'delivered' and not coalesce((array_agg(${SUCCEEDED} order by a.number desc))[1], false)
       or d.delivery_run = 'automatic' and min(a.number) filter (where ${SUCCEEDED}) is distinct from
         case when d.status = 'delivered' then d.attempt_count end`,
  ),
];
