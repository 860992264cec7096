import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { runJobs } from '../../src/jobs/runner.ts';
import { MAIL_JOB, MAIL_QUEUES, mailJob } from '../../src/mail/mail-queue.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

describe('the queue of mails', () => {
  it('mails that are overdue do not delay other jobs, even when a thousand of them wait', async () => {
    const databaseUrl = await createDatabase();
    let mails = 0;
    let mailsBefore: number | null = null;
    const tasks = {
      mail: async () => {
        mails++;
      },
      other: async () => {
        mailsBefore = mails;
      },
    };
    await query(
      databaseUrl,
      `select graphile_worker.add_job('mail', run_at := now() - interval '1 hour', ${MAIL_JOB}) from generate_series(1, 1000)`,
    );
    await query(databaseUrl, `select graphile_worker.add_job('other')`);
    const runner = runJobs(databaseUrl, { tasks, recurring: [], namedQueueCount: MAIL_QUEUES }, createLogger('silent'));
    await until(
      () => mails > 4 * MAIL_QUEUES,
      () => 'no mail is sent',
    );
    await runner.stop();
    // One mail of each queue may be fetched together with the other job, and run beside it.
    expect(mailsBefore).to.be.at.most(MAIL_QUEUES);
  });

  it('a mail that hangs delays neither the mails of other queues nor other jobs, and mails follow each other at once', async () => {
    const databaseUrl = await createDatabase();
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    let begun = 0;
    let others = 0;
    const tasks = {
      mail: async () => {
        if (++begun === 1) await hanging;
      },
      other: async () => {
        others++;
      },
    };
    await query(databaseUrl, `select graphile_worker.add_job('mail', ${MAIL_JOB}) from generate_series(1, 2000)`);
    const runner = runJobs(databaseUrl, { tasks, recurring: [], namedQueueCount: MAIL_QUEUES }, createLogger('silent'));
    // With one mail per queue and second, this would take minutes.
    await until(
      () => begun >= 1_000,
      () => `${begun} mails were begun`,
    );
    await query(databaseUrl, `select graphile_worker.add_job('other')`);
    await until(
      () => others === 1,
      () => 'the other job does not run',
    );
    goOn();
    await runner.stop();
  });

  it('a sender of many mails comes after the senders of few', async () => {
    const databaseUrl = await createDatabase();
    const sent: string[] = [];
    const tasks = {
      mail: async (payload: unknown) => {
        sent.push(String(payload));
      },
    };
    const add = (sender: string, mails: number) =>
      query(
        databaseUrl,
        `select graphile_worker.add_job('mail', to_json($1::text), ${mailJob('n - 1')}) from generate_series(1, $2::integer) as n`,
        [sender, mails],
      );
    await add('many', 400);
    await add('few', 2);
    const runner = runJobs(databaseUrl, { tasks, recurring: [], namedQueueCount: MAIL_QUEUES }, createLogger('silent'));
    await until(
      () => sent.length === 402,
      () => `${sent.length} mails were sent`,
    );
    await runner.stop();
    // Before the second mail of `few`, each queue may send one mail that was fetched together with it, or has a smaller number.
    expect(sent.lastIndexOf('few')).to.be.at.most(4 * MAIL_QUEUES);
  });
});
