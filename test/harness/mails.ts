import { runOnce } from 'graphile-worker';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { graphileLogger } from '../../src/jobs/queue-log.ts';
import { type Mail, type Mailer, MailFailed } from '../../src/mail/mailer.ts';
import { createInbox } from '../../src/payment-links/reconcile/inbox.ts';
import { createTasks } from '../../src/tasks.ts';
import type { TestService } from './service.ts';

/** A mailer that keeps what it is given, or fails as often as a test asks. */
export class KeptMails implements Mailer {
  readonly mails: Mail[] = [];
  failures = 0;

  async send(mail: Mail): Promise<void> {
    if (this.failures-- > 0) throw new MailFailed('ECONNREFUSED');
    this.mails.push(mail);
  }
}

/** Runs the jobs that are queued, as the worker does, but for deliveries. */
export async function runJobs(service: TestService, mailer: Mailer): Promise<void> {
  const log = createLogger('silent');
  const deliverer = { wakeUp: () => undefined, idle: async () => undefined, stop: async () => undefined };
  const newScope = () => service.scope();
  const processor = service.processor();
  const inbox = createInbox({ newScope, processor });
  const { wakeUpJobs, jobs } = createTasks({ newScope, processor, deliverer, inbox, mailer, log });
  // A pool of our own, ended here: the queue's would still be ending when the test's server stops.
  const pgPool = new pg.Pool({ connectionString: service.config.databaseUrl });
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  pgPool.on('error', () => undefined);
  try {
    await runOnce({ pgPool, taskList: { ...wakeUpJobs, ...jobs }, logger: graphileLogger(log) });
    await inbox.idle();
  } finally {
    await pgPool.end();
  }
}
