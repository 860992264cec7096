/** Queues of mail jobs, which run one by one. A silent mail server occupies this many places of job runners, and gets as many connections. */
export const MAIL_QUEUES = 8;

/**
 * Returns arguments of `add_job` for a mail job, in SQL. Mails go after all other jobs: a runner fetches the first few hundred
 * due jobs, and of one queue it keeps one. Hundreds of overdue mails in front would leave no place for other jobs.
 * @param delayedBy SQL integer expression, at least 0, which is added to the priority. An example is the number of mails of the
 *   same practice in the last 24 hours. Mails with a smaller number go first.
 */
export function mailJob(delayedBy = '0'): string {
  return `queue_name := 'mails_' || floor(random() * ${MAIL_QUEUES})::integer, priority := 1 + ${delayedBy}`;
}

export const MAIL_JOB = mailJob();

/** Maximum number of tries of a mail: about three days, with the growing waits of the job queue. */
export const MAIL_TRIES = 20;
