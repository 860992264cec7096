import { formatTimeSql, type Invariant } from '../platform/database/query/rule-invariant.ts';

/** Minutes after which a lease is no lease. WEBHOOK_TIMEOUT_MS allows 65 seconds at most. */
const MOST_LEASE_MINUTES = 5;

/** Rules of deliveries, for `paylinks check`. */
export const DELIVERY_INVARIANTS: readonly Invariant[] = [
  // Longer than a dead worker's lease and the sweep that follows.
  {
    name: 'deliveries_are_attempted_when_due',
    next: 'Start a worker that has the key of the secret.',
    statement: `select d.practice_id as "practiceId", count(*) || ' deliveries of the ' || w.status || ' endpoint ' || w.id ||
       ' are due since ' || ${formatTimeSql('min(d.due_at)')} ||
       ', and no worker delivers to it: is one running, and does it have the key of the secret?' as problem
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.status in ('pending', 'retrying') and d.due_at < present.at - interval '10 minutes'
       and (w.lease_until is null or w.lease_until < present.at)
     group by d.practice_id, w.id`,
  },
  {
    name: 'leases_end_in_time',
    next: 'Set the clock of the database. Then end the lease: update webhook_endpoints set lease_until = null where id = …',
    statement: `select w.practice_id as "practiceId", 'the endpoint ' || w.id || ' is leased until ' || ${formatTimeSql('w.lease_until')} ||
       ', and until then no worker delivers to it: was the clock of the database wrong?' as problem
     from webhook_endpoints w where w.lease_until > present.at + interval '${MOST_LEASE_MINUTES} minutes'`,
  },
];
