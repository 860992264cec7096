/**
 * Queue of all mail jobs. The jobs of a queue run one by one in the whole cluster, so a silent mail server occupies one
 * place of one job runner.
 */
const MAIL_QUEUE = 'mails';

/**
 * Arguments of `add_job` for every mail job, in SQL. Mails go after all other jobs: a runner fetches the first few hundred
 * due jobs, and of one queue it keeps one. Hundreds of overdue mails in front would leave no place for other jobs.
 */
export const MAIL_JOB = `queue_name := '${MAIL_QUEUE}', priority := 1`;

/** Maximum number of tries of a mail: about three days, with the growing waits of the job queue. */
export const MAIL_TRIES = 20;
