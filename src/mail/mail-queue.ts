/**
 * Queue of all mail jobs. The jobs of a queue run one by one in the whole cluster, so a silent mail server occupies one
 * place of one job runner.
 */
export const MAIL_QUEUE = 'mails';

/** Maximum number of tries of a mail: about three days, with the growing waits of the job queue. */
export const MAIL_TRIES = 20;
