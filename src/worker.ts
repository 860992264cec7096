import type { Logger } from 'pino';
import type { Scope } from './base/scope.ts';
import { systemClock } from './base/time/clock.ts';
import type { Config } from './config.ts';
import { WORKER_LIMITS } from './database/connection/service-connection.ts';
import { createJobRounds, runWakeUpJobs } from './jobs/runner.ts';
import { createMailer } from './mail/mailer.ts';
import { createOrm } from './orm.ts';
import { createInbox } from './payment-links/reconcile/inbox.ts';
import { createProcessor } from './processor.ts';
import { type Dependencies, defaultResolver } from './serve.ts';
import { createTasks } from './tasks.ts';
import { createDeliverer } from './webhooks/delivery/deliverer.ts';
import { networkSet } from './webhooks/send/networks.ts';
import { createSender } from './webhooks/send/send.ts';

/** Where mails go without an SMTP server, in the working directory. */
const OUTBOX = '.local/outbox';

export interface RunningWorker {
  /** Takes nothing new and resolves when what is under way is done and on record. */
  stop(): Promise<void>;
}

/**
 * Starts the background work: deliveries and the sweeps. Any number of workers may share one database. One that is away,
 * now or later, is waited for.
 */
export async function startWorker(
  config: Config & { databaseUrl: string },
  log: Logger,
  { clock = systemClock, resolver = defaultResolver(config), databaseLimits, ...given }: Dependencies = {},
): Promise<RunningWorker> {
  const orm = createOrm(config.databaseUrl, log, 20, { ...WORKER_LIMITS, ...databaseLimits });
  const newScope = (): Scope => ({
    em: orm.em.fork(),
    clock,
    log,
    keyring: config.keyring,
    publicUrl: config.publicUrl,
  });
  const policy = { allowedNetworks: networkSet(config.webhookAllowedNetworks) };
  const sender = createSender({ policy, resolver, timeoutMs: config.webhookTimeoutMs });
  const deliverer = createDeliverer({
    newScope,
    log,
    sender,
    timeoutMs: config.webhookTimeoutMs,
    retrySeconds: config.webhookRetrySeconds,
  });
  const processor = given.processor ?? (await createProcessor(config, newScope));
  const { smtpUrl, mailFrom } = config;
  const mailer = createMailer({ smtpUrl, from: mailFrom, outbox: OUTBOX });
  const inbox = createInbox({ newScope, processor });
  const { doorbells, jobs, startSweeps } = createTasks({ newScope, deliverer, inbox, processor, mailer, log });
  const listener = runWakeUpJobs(config.databaseUrl, doorbells, log, databaseLimits);
  const rounds = createJobRounds(config.databaseUrl, jobs, log, databaseLimits);
  const sweeps = startSweeps(() => rounds.run());
  return {
    async stop() {
      // All at once: each has something of its own to wait for, and the whole must end in time.
      sweeps.stop();
      rounds.stop();
      await Promise.all([listener.stop(), deliverer.stop(), inbox.stop(), sweeps.settled()]);
      await rounds.close();
      await sender.close();
      await orm.close();
    },
  };
}
