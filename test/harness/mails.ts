import { runOnce } from 'graphile-worker';
import pg from 'pg';
import { createJobs } from '../../src/main/processes/tasks.ts';
import { createInbox } from '../../src/payment-links/payments/notifications.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { graphileLogger } from '../../src/platform/jobs/queue-log.ts';
import { type Mail, type Mailer, MailFailed } from '../../src/practices/mail/mailer.ts';
import type { TestService } from './service.ts';

export class KeptMails implements Mailer {
  readonly mails: Mail[] = [];
  failures = 0;

  async send(mail: Mail): Promise<void> {
    if (this.failures-- > 0) throw new MailFailed('ECONNREFUSED');
    this.mails.push(mail);
  }
}

/** Selects a job of these tasks that is due and that nobody runs. */
const DUE = `select from graphile_worker.jobs
  where task_identifier = any ($1) and run_at <= now() and attempts < max_attempts and locked_at is null limit 1`;

/** Takes jobs out of their queues, which mails go to by chance. So mails are sent in the order of their jobs. */
const IN_ORDER = 'update graphile_worker._private_jobs set job_queue_id = null where locked_at is null';

/** Runs the jobs that are queued, as the worker does, but for deliveries. */
export async function runJobs(service: TestService, mailer: Mailer): Promise<void> {
  const log = createLogger('silent');
  const none = async () => undefined;
  const deliverer = { deliver: none, notify: () => undefined, idle: none, stop: none };
  const newScope = () => service.scope();
  const processor = service.processor();
  const inbox = createInbox(() => ({ ...newScope(), processor, ...separately }));
  const { tasks } = createJobs({
    ...{ newScope, processor, deliverer, inbox, mailer },
  });
  // A pool of our own, ended here: the queue's would still be ending when the test's server stops.
  const pgPool = new pg.Pool({ connectionString: service.config.databaseUrl });
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  pgPool.on('error', () => undefined);
  try {
    do {
      await pgPool.query(IN_ORDER);
      await runOnce({ pgPool, taskList: tasks, logger: graphileLogger(log) });
    } while ((await pgPool.query(DUE, [Object.keys(tasks)])).rowCount !== 0);
    await inbox.idle();
  } finally {
    await pgPool.end();
  }
}
