import type { Scope } from '../../platform/base/scope.ts';
import { statesBefore } from '../../platform/base/state-machine.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { DELIVERY } from '../model/transitions.ts';
import { BATCH_LEASES } from './start.ts';

export const DELIVER_TASK = 'deliver_webhooks';

/** At most sixteen, so that one statement claims them. */
export interface DeliverJob {
  endpointIds: string[];
}

const MAX_JOBS = 1_000;

/**
 * Adds jobs for all endpoints with a due delivery and no lease: retries, what a dead worker left, and what no
 * notification has reported. A lost or doubled job does no harm: the deliveries stay due until they are made. While
 * jobs of the last ten seconds wait, none are added. Older ones may never run.
 * @returns the number of jobs
 */
export async function enqueueDueDeliveries({ em, clock }: Scope): Promise<number> {
  const jobs = await sql(
    em,
    `with due as (
       select w.id, (row_number() over (order by w.id) - 1) / $3 as job from webhook_endpoints w
       where w.deleted_at is null and (w.lease_until is null or w.lease_until <= coalesce($1, clock_timestamp()))
         and exists (
           select from webhook_deliveries d
           where d.endpoint_id = w.id and d.rank = any ('{0,1,2}') and d.status = any ($2)
             and d.due_at <= coalesce($1, statement_timestamp())
         )
         and not exists (
           select from graphile_worker.jobs
           where task_identifier = '${DELIVER_TASK}' and locked_at is null and created_at > now() - interval '10 seconds')
       limit $3 * $4
     ), jobs as (
       select json_build_object('endpointIds', json_agg(id)) as payload from due group by job
     )
     select graphile_worker.add_job('${DELIVER_TASK}', payload, max_attempts := 1) from jobs`,
    [clock.shared(), statesBefore(DELIVERY, 'succeed'), BATCH_LEASES, MAX_JOBS],
  );
  return jobs.length;
}
