import type { Logger } from 'pino';
import { createRequestLog } from '../../access/request-log.ts';
import type { Handlers } from '../../http/adapter.ts';
import { createApp } from '../../http/app.ts';
import { listen, type RunningServer } from '../../http/server.ts';
import { recordAssets } from '../../patient-pages/browser/assets.ts';
import { missedChanges } from '../../payment-links/api/missed-changes.ts';
import { createOpenings, createPageService } from '../../payment-links/checkout/service.ts';
import { paymentLinkOperations } from '../../payment-links/operations.ts';
import { createChange, type Links } from '../../payment-links/store/change.ts';
import { createGatheringStore } from '../../payment-links/store/gathered.ts';
import { postgres } from '../../payment-links/store/postgres.ts';
import { createBatcher } from '../../platform/database/query/batch.ts';
import { createLimiter } from '../../platform/database/query/limiter.ts';
import { locationOperations } from '../../practices/operations.ts';
import type { Processor } from '../../processors/processor.ts';
import type { CheckUrl } from '../../webhooks/endpoints/service.ts';
import { webhookOperations } from '../../webhooks/operations.ts';
import { checkNewUrl } from '../../webhooks/send/destination.ts';
import type { Config } from './config.ts';
import { type Dependencies, defaultResolver, startCommon } from './shared.ts';

/**
 * Limits of transactions, which keep their connection while they wait for a lock. Three of a practice make it as fast
 * as more would: a transaction takes milliseconds. Six in all leave connections to requests that wait for no lock, even
 * if many practices are locked. The wait for a lock comes on top of `maxWaitMs`.
 */
const TRANSACTION_LIMITS = { placesPerName: 3, placesInAll: 6, maxWaitMs: 3_000 };

/** Creates a handler for every operation of the contract. The compiler reports a missing operation or a wrong reply. */
export function createOperations(checkUrl: CheckUrl, processor: Processor, links: Links): Handlers {
  return {
    ...locationOperations,
    ...paymentLinkOperations(processor, links),
    ...webhookOperations(checkUrl, missedChanges),
  };
}

/** Starts the API. A request uses a connection of the pool for a few milliseconds; two cores use at most ten. */
export async function startServer(
  config: Config & { databaseUrl: string },
  log: Logger,
  { resolver = defaultResolver(config), databaseLimits, ...rest }: Dependencies = {},
): Promise<RunningServer> {
  const common = await startCommon('api', config, log, { size: 10, limits: databaseLimits }, rest);
  const { newScope, allowedNetworks, processor, readiness } = common;
  const transactions = createLimiter(TRANSACTION_LIMITS);
  const store = createGatheringStore(postgres, createBatcher);
  const links = { store, change: createChange(store) };
  const openings = createOpenings(newScope);
  // DNS has three seconds. A name without an answer in time is accepted.
  const checkUrl = (url: string) => checkNewUrl(url, allowedNetworks, resolver, 3_000);
  const requestLog = createRequestLog(newScope);
  const app = createApp({
    ...config,
    ...common,
    operations: createOperations(checkUrl, processor, links),
    pageService:
      rest.pageService ?? ((scope) => createPageService(scope, processor, links, { transactions, openings })),
    change: links.change,
    transactions,
    // Without real payments, mails in files are as good.
    mailsPatients: config.smtpUrl !== null || config.stripe === null,
    requestLog,
    checkUrl,
  });
  await recordAssets(newScope()).catch((err) => {
    log.warn({ err }, 'files of the hosted pages were not recorded; pages served during a deploy may lack them');
  });
  const close = async () => {
    await Promise.all([requestLog.close(), openings.close()]);
    await common.close();
  };
  const server = await listen(app, config.port, config.host, rest.clientTimeouts).catch(async (error) => {
    // Open connections would keep the process alive.
    await close();
    throw error;
  });
  // Logs at once what keeps the process from being ready, also if nobody asks for it.
  void readiness.report();
  return {
    port: server.port,
    async close() {
      readiness.stop();
      await server.close(config.drainSeconds * 1_000);
      await close();
    },
  };
}
