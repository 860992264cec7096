/** Name of the wake-up job of an endpoint: it says that a delivery may be due. */
export const DELIVER_TASK = 'deliver_webhooks';

/** Longest time by which a wake-up job with a later time starts late: the interval at which the queue polls for such jobs. */
export const WAKE_UP_DELAY_MS = 1_000;

/**
 * SQL expression that enqueues a wake-up job for the `endpoint_id` of its row, in the statement's transaction. If a job is
 * lost, doubled or late, a recurring job replaces it; so it has one try. It has no `job_key`, because transactions with the same
 * key would wait for each other until commit.
 */
export const ENQUEUE_WAKE_UP = enqueueWakeUp();

/** Returns the expression with a time from which the job may run: an SQL expression of type timestamptz. */
export function enqueueWakeUp(runAt = 'null'): string {
  return `graphile_worker.add_job('${DELIVER_TASK}', json_build_object('endpointId', endpoint_id),
    run_at := ${runAt}, max_attempts := 1)`;
}

/**
 * SQL expression that enqueues a wake-up job for the `endpoint_id` of its row, by hand of an operator. It replaces the job of an
 * earlier repair, even if a worker died with that, so repeated repairs do not pile up.
 */
export const ENQUEUE_REPAIR = `graphile_worker.add_job('${DELIVER_TASK}', json_build_object('endpointId', endpoint_id),
  job_key := 'repair ' || endpoint_id, job_key_mode := 'replace')`;

/**
 * Statement that enqueues a wake-up job for each endpoint of an array of ids, `$1`. The key keeps such jobs from piling up
 * while an endpoint waits for a worker. Only the recurring job uses it, so no transaction waits for the key. The job has the
 * usual tries. One that used up its only try would keep its key, and no other job would be added for its endpoint.
 */
export const ENQUEUE_OVERDUE = `select graphile_worker.add_job('${DELIVER_TASK}', json_build_object('endpointId', id),
  job_key := 'overdue ' || id, job_key_mode := 'unsafe_dedupe') from unnest($1::text[]) as id`;
