import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { runJobs } from '../../src/jobs/runner.ts';
import { MAIL_JOB } from '../../src/mail/mail-queue.ts';
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
    const runner = runJobs(databaseUrl, { tasks, recurring: [] }, createLogger('silent'));
    await until(
      () => mails >= 4,
      () => 'no mail is sent',
    );
    await runner.stop();
    // One mail may be fetched together with the other job, and run beside it.
    expect(mailsBefore).to.be.oneOf([0, 1]);
  });
});
