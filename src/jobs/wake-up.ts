/** The job that rings for an endpoint: "there may be something to deliver". */
export const DELIVER_TASK = 'deliver_webhooks';

/**
 * The expression that rings for the `endpoint_id` of its row, inside the statement and so inside the transaction. A job
 * is a doorbell and nothing more: lost, doubled or late, the sweep makes up for it. No `job_key`, because transactions
 * that ring for the same key would wait for each other until commit. One try, because a failed doorbell is the sweep's
 * business as well.
 */
export const ENQUEUE_WAKE_UP = enqueueWakeUp();

/** The same, for a moment in the future: an SQL expression of type timestamptz. */
export function enqueueWakeUp(runAt = 'null'): string {
  return `graphile_worker.add_job('${DELIVER_TASK}', json_build_object('endpointId', endpoint_id),
    run_at := ${runAt}, max_attempts := 1)`;
}
