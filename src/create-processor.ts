import type { Scope } from './base/scope.ts';
import type { Config } from './config.ts';
import type { Processor } from './processors/processor.ts';
import { reported } from './processors/reported.ts';
import { createSandbox } from './processors/sandbox.ts';

/** Creates the configured processor. The sandbox makes its own scopes; Stripe needs none. */
export async function createProcessor(config: Config, newScope: () => Scope): Promise<Processor> {
  if (config.stripe !== null) {
    // Stripe's SDK takes longer to load than most commands take to run, so only processes that need it load it.
    const { createStripe } = await import('./processors/stripe.ts');
    return reported(createStripe(config.stripe, newScope().log));
  }
  return reported(createSandbox({ newScope, settleSeconds: config.sandboxSettleSeconds }));
}
