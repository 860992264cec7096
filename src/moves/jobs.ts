import type { Client } from 'pg';
import { DELIVER_TASK, ENQUEUE_OVERDUE } from '../jobs/wake-up.ts';

/*
 * Jobs of a practice. The queue knows nothing of practices, but the payload of each job names a record. Wake-up jobs of
 * deliveries are not copied: the target makes one for each endpoint with waiting deliveries.
 */

/** Condition of jobs `j` with the task `t` that belong to the practices `$1`. */
const OF_PRACTICES = `(
  j.payload ->> 'paymentLinkId' in (select id from payment_links where practice_id = any ($1))
  or j.payload ->> 'requestId' in (select r.id from receipt_requests r join payment_links l on l.id = r.payment_link_id
    where l.practice_id = any ($1))
  or j.payload ->> 'membershipId' in (select id from memberships where practice_id = any ($1))
  or j.payload ->> 'endpointId' in (select id from webhook_endpoints where practice_id = any ($1))
  or j.payload ->> 'accountId' in (
    select processor_account_id from practices where id = any ($1) union select 'sandbox_' || unnest($1::text[])))`;

/** Adds the jobs of the practices to the queue of the target. They have all their tries again. */
export async function copyJobs(source: Client, target: Client, practiceIds: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ jobs: string }>(
    `select coalesce(json_agg(json_build_object('identifier', t.identifier, 'payload', j.payload, 'queue', q.queue_name,
       'run_at', j.run_at, 'max_attempts', j.max_attempts, 'key', j.key, 'priority', j.priority) order by j.id), '[]')::text as jobs
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where t.identifier <> $2 and ${OF_PRACTICES}`,
    [practiceIds, DELIVER_TASK],
  );
  await target.query(
    `select graphile_worker.add_job(identifier, payload, queue_name := queue, run_at := run_at,
       max_attempts := max_attempts, job_key := key, priority := priority)
     from json_to_recordset($1) as j (identifier text, payload json, queue text, run_at timestamptz, max_attempts integer,
       key text, priority integer)`,
    [rows[0]?.jobs],
  );
  const endpoints = await target.query<{ id: string }>(
    `select id from webhook_endpoints w where practice_id = any ($1) and exists (
       select from webhook_deliveries d where d.endpoint_id = w.id and d.status in ('pending', 'retrying'))`,
    [practiceIds],
  );
  await target.query(ENQUEUE_OVERDUE, [endpoints.rows.map(({ id }) => id)]);
}

/** Deletes the jobs of the practices from the queue of the source, except for those that run at this moment. */
export async function deleteJobs(source: Client, practiceIds: readonly string[]): Promise<void> {
  await source.query(
    `delete from graphile_worker._private_jobs where locked_at is null and id in (
       select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where ${OF_PRACTICES})`,
    [practiceIds],
  );
}
