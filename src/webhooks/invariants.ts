import type { Invariant, Repair } from '../base/invariant.ts';
import { textOfTime, waitingInvariant } from '../database/query/rule-invariant.ts';
import { sql } from '../database/query/sql.ts';
import { WAKE_UP } from '../jobs/wake-up.ts';

/** Minutes after which a lease is no lease. WEBHOOK_TIMEOUT_MS allows 65 seconds at most. */
const MOST_LEASE_MINUTES = 5;

/**
 * Returns the repair of a lease that outlives every attempt. Nothing is lost if its worker lives: the next claim has another
 * epoch, and an older one writes nothing.
 */
function leaseRepair({ id }: { id: string }): Repair {
  return {
    description: 'end the lease and wake up the endpoint; a running worker then delivers',
    async run({ em, clock }) {
      const ended = await sql(
        em,
        `with ended as (
           update webhook_endpoints set lease_until = null
           where id = $1 and lease_until > coalesce($2::timestamptz, clock_timestamp()) + make_interval(mins => $3)
           returning id as endpoint_id
         )
         select ${WAKE_UP} from ended`,
        [id, clock.shared(), MOST_LEASE_MINUTES],
      );
      return ended.length === 0 ? null : { target: { kind: 'webhook_endpoint', id } };
    },
  };
}

/** Rules of deliveries, for `paylinks check`. */
export const DELIVERY_INVARIANTS: readonly Invariant[] = [
  // Longer than a dead worker's lease and the sweep that follows.
  waitingInvariant(
    'deliveries_are_attempted_when_due',
    'start a worker that has the key of the secret',
    `select w.id, d.practice_id as "practiceId", count(*) || ' deliveries of the ' || w.status || ' endpoint ' || w.id ||
       ' are due since ' || ${textOfTime('min(d.due_at)')} ||
       ', and no worker delivers to it: is one running, and does it have the key of the secret?' as problem
     from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.status in ('pending', 'retrying') and d.due_at < present.at - interval '10 minutes'
       and (w.lease_until is null or w.lease_until < present.at)
     group by d.practice_id, w.id`,
  ),
  waitingInvariant(
    'leases_end_in_time',
    leaseRepair,
    `select w.id, w.practice_id as "practiceId", 'the endpoint ' || w.id || ' is leased until ' || ${textOfTime('w.lease_until')} ||
       ', and until then no worker delivers to it: was the clock of the database wrong?' as problem
     from webhook_endpoints w where w.lease_until > present.at + interval '${MOST_LEASE_MINUTES} minutes'`,
  ),
];
