import type { Scope } from './base/scope.ts';
import type { Config } from './config.ts';
import type { Processor } from './processors/processor.ts';
import { createSandbox } from './processors/sandbox.ts';
import { createStripe } from './processors/stripe.ts';

/** The configured processor. The sandbox works on scopes of its own; Stripe needs none. */
export function createProcessor(config: Config, newScope: () => Scope): Processor {
  if (config.stripe !== null) return createStripe(config.stripe);
  return createSandbox({ newScope, settleSeconds: config.sandboxSettleSeconds });
}
