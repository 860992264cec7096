import type { Scope } from './base/scope.ts';
import type { Config } from './config.ts';
import type { Processor } from './processors/processor.ts';
import { createSandbox } from './processors/sandbox.ts';

/** The configured processor. The sandbox works on scopes of its own; Stripe needs none. */
export async function createProcessor(config: Config, newScope: () => Scope): Promise<Processor> {
  if (config.stripe !== null) {
    // Its SDK takes longer to load than most commands to run, and most processes don't need it.
    const { createStripe } = await import('./processors/stripe.ts');
    return createStripe(config.stripe, newScope().log);
  }
  return createSandbox({ newScope, settleSeconds: config.sandboxSettleSeconds });
}
