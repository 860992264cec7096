import type { Scope } from './base/scope.ts';
import type { Clock } from './base/time/clock.ts';
import type { Config } from './config.ts';
import type { DatabaseLimits } from './database/connection/service-connection.ts';
import type { PageService } from './payment-links/checkout/port.ts';
import type { Processor } from './processors/processor.ts';
import { createResolver, type Resolver } from './webhooks/send/resolver.ts';

/** Dependencies that tests may replace. */
export interface Dependencies {
  clock?: Clock;
  resolver?: Resolver;
  /** Shorter limits, for tests of an unreachable database. */
  databaseLimits?: Partial<DatabaseLimits>;
  processor?: Processor;
  pageService?: (scope: Scope) => PageService;
}

/** Creates the DNS resolver. It knows names of the machine and its containers only if private networks are allowed. */
export function defaultResolver(config: Config): Resolver {
  return createResolver({ useSystemNames: config.webhookAllowedNetworks.length > 0 });
}
