import { fresh, type Scope } from '../../base/scope.ts';
import { recordAccount } from '../../practices/accounts.ts';
import type { Account, AccountSnapshot, Processor } from '../../processors/processor.ts';

/** An account hardly changes twice while it is asked for. */
const MAX_READS = 5;

/**
 * Writes down what an account can do at the processor, and asks again until that is what was written: somebody else may
 * have asked later and written sooner. So whoever writes last has read what it wrote, and no older answer stays.
 *
 * @throws ProcessorUnavailable; an error for an account that doesn't stop changing
 */
export async function syncAccount(scope: Scope, processor: Processor, account: Account): Promise<void> {
  let written: AccountSnapshot | null = null;
  for (let read = 0; read < MAX_READS; read++) {
    const snapshot = await processor.accounts.retrieve(account);
    if (isSame(snapshot, written)) return;
    await recordAccount(fresh(scope), account.id, snapshot);
    written = snapshot;
  }
  throw new Error('the account changes whenever it is asked for');
}

function isSame(one: AccountSnapshot, other: AccountSnapshot | null): boolean {
  return one.paymentsEnabled === other?.paymentsEnabled && one.bankDebitsEnabled === other.bankDebitsEnabled;
}
