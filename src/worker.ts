import { run } from 'graphile-worker';
import type { Logger } from 'pino';
import { systemClock } from './base/clock.ts';
import type { Scope } from './base/scope.ts';
import type { Config } from './config.ts';
import { createOrm } from './orm.ts';
import { createProcessor } from './processor.ts';
import { defaultResolver, type Surroundings } from './serve.ts';
import { createTasks, graphileLogger } from './tasks.ts';
import { createDeliverer } from './webhooks/deliver.ts';
import { networkSet } from './webhooks/networks.ts';
import { createSender } from './webhooks/send.ts';

export interface RunningWorker {
  /** Takes nothing new and resolves when what is under way is done and on record. */
  stop(): Promise<void>;
}

/** Doorbells are short; a few at once keep up with thousands a second. */
const JOB_CONCURRENCY = 8;

/** Starts the background work: deliveries and the sweeps. Any number of workers may share one database. */
export async function startWorker(
  config: Config & { databaseUrl: string },
  log: Logger,
  { clock = systemClock, resolver = defaultResolver(config), ...given }: Surroundings = {},
): Promise<RunningWorker> {
  const orm = createOrm(config.databaseUrl, log, 20);
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
    sender,
    timeoutMs: config.webhookTimeoutMs,
    retrySeconds: config.webhookRetrySeconds,
  });
  const processor = given.processor ?? createProcessor(config, newScope);
  const { jobs, sweeps } = createTasks({ newScope, deliverer, processor, log });
  const runner = await run({
    connectionString: config.databaseUrl,
    concurrency: JOB_CONCURRENCY,
    maxPoolSize: JOB_CONCURRENCY + 2,
    // Doorbells arrive by notification; polling is for those of the future.
    pollInterval: 1_000,
    noHandleSignals: true,
    logger: graphileLogger(log),
    taskList: jobs,
  });
  sweeps.start();
  return {
    async stop() {
      sweeps.stop();
      await runner.stop();
      await deliverer.stop();
      await sweeps.settled();
      await sender.close();
      await orm.close();
    },
  };
}
