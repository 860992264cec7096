import type { Logger } from 'pino';
import { createInbox } from '../../payment-links/payments/notifications.ts';
import { separately } from '../../payment-links/store/change.ts';
import { WORKER_LIMITS } from '../../platform/database/connection/connection.ts';
import { runJobs } from '../../platform/jobs/runner.ts';
import { createMailer } from '../../practices/mail/mailer.ts';
import { createDeliverer } from '../../webhooks/delivery/deliverer.ts';
import { createSender } from '../../webhooks/send/send.ts';
import type { Config } from './config.ts';
import { type Dependencies, defaultResolver, startCommon } from './shared.ts';
import { createJobs } from './tasks.ts';

export interface RunningWorker {
  /** Starts no new work, and resolves when the work under way is done and recorded. */
  stop(): Promise<void>;
}

/** Starts deliveries and jobs. Any number of workers may share one database. While it is unavailable, the worker waits for it. */
export async function startWorker(
  config: Config & { databaseUrl: string },
  log: Logger,
  { resolver = defaultResolver(config), databaseLimits, ...rest }: Dependencies = {},
): Promise<RunningWorker> {
  // Each delivery under way uses a connection for a few milliseconds.
  const pool = { size: 20, limits: { ...WORKER_LIMITS, ...databaseLimits } };
  const common = await startCommon('worker', config, log, pool, rest);
  const { newScope, allowedNetworks, processor, readiness } = common;
  const sender = createSender({ allowedNetworks, resolver, timeoutMs: config.webhookTimeoutMs });
  const deliverer = createDeliverer({
    scope: newScope(),
    sender,
    timeoutMs: config.webhookTimeoutMs,
    retrySeconds: config.webhookRetrySeconds,
    limits: { rounds: 5_000, roundMs: config.webhookTimeoutMs },
  });
  const { smtpUrl, mailFrom } = config;
  const mailer = createMailer({ smtpUrl, from: mailFrom, outbox: '.local/outbox' });
  const inbox = createInbox(() => ({ ...newScope(), processor, ...separately }));
  const jobs = createJobs({ newScope, deliverer, inbox, processor, mailer });
  const runner = runJobs(config.databaseUrl, jobs, log, databaseLimits);
  // Logs at once what keeps the process from being ready, also if nobody asks for it.
  void readiness.report();
  return {
    async stop() {
      readiness.stop();
      // All stop concurrently, because each may wait and the worker must end in time.
      await Promise.all([runner.stop(), deliverer.stop(), inbox.stop()]);
      sender.close();
      await common.close();
    },
  };
}
