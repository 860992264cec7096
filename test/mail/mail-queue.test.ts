import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { type Jobs, runJobs } from '../../src/platform/jobs/runner.ts';
import { MAIL_JOB, MAIL_QUEUES, mailJob } from '../../src/practices/mail/mail-queue.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

describe('the queue of mails', () => {
  let databaseUrl: string;

  beforeEach(async () => {
    databaseUrl = await createDatabase();
  });

  const add = (job: string) => query(databaseUrl, `select graphile_worker.add_job(${job}`);
  const run = (tasks: Jobs['tasks']) =>
    runJobs(databaseUrl, { tasks, recurring: [], namedQueueCount: MAIL_QUEUES }, createLogger('silent'));

  it('mails that are overdue do not delay other jobs, even when a thousand of them wait', async () => {
    let mails = 0;
    let mailsBefore: number | null = null;
    await add(`'mail', run_at := now() - interval '1 hour', ${MAIL_JOB}) from generate_series(1, 1000)`);
    await add(`'other')`);
    const runner = run({
      mail: async () => {
        mails++;
      },
      other: async () => {
        mailsBefore = mails;
      },
    });
    await until(() => mails > 4 * MAIL_QUEUES, 'no mail is sent');
    await runner.stop();
    // One mail of each queue may be fetched together with the other job, and run beside it.
    expect(mailsBefore).to.be.at.most(MAIL_QUEUES);
  });

  it('a mail that hangs delays neither the mails of other queues nor other jobs, and mails follow each other at once', async () => {
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    let begun = 0;
    let others = 0;
    await add(`'mail', ${MAIL_JOB}) from generate_series(1, 2000)`);
    const runner = run({
      mail: async () => {
        if (++begun === 1) await hanging;
      },
      other: async () => {
        others++;
      },
    });
    // With one mail per queue and second, this would take minutes.
    await until(
      () => begun >= 1_000,
      () => `${begun} mails were begun`,
    );
    await add(`'other')`);
    await until(() => others === 1, 'the other job does not run');
    goOn();
    await runner.stop();
  });

  it('a sender of many mails comes after the senders of few', async () => {
    const sent: string[] = [];
    for (const [sender, mails] of [
      ['many', 400],
      ['few', 2],
    ] as const) {
      await add(`'mail', to_json('${sender}'::text), ${mailJob('n - 1')}) from generate_series(1, ${mails}) as n`);
    }
    const runner = run({
      mail: async (payload) => {
        sent.push(String(payload));
      },
    });
    await until(
      () => sent.length === 402,
      () => `${sent.length} mails were sent`,
    );
    await runner.stop();
    // Before the second mail of `few`, each queue may send one mail that was fetched together with it, or has a smaller number.
    expect(sent.lastIndexOf('few')).to.be.at.most(4 * MAIL_QUEUES);
  });
});
