import { fresh, type Scope } from '../../base/scope.ts';
import { recordAbilities } from '../../practices/accounts.ts';
import type { Account, AccountSnapshot, Processor } from '../../processors/processor.ts';

/** Limit of reads. An account hardly changes twice during its reads. */
const MAX_READS = 5;

/**
 * Records the abilities of an account at the processor, and asks again until the answer equals the record. Another
 * process may read later and write earlier; the repeated read makes sure that no older answer stays.
 *
 * @throws ProcessorUnavailable; an error if the account differs at every read
 */
export async function syncAccount(scope: Scope, processor: Processor, account: Account): Promise<void> {
  let written: AccountSnapshot | null = null;
  for (let read = 0; read < MAX_READS; read++) {
    const snapshot = await processor.accounts.retrieve(account);
    if (isSame(snapshot, written)) return;
    await recordAbilities(fresh(scope), account.id, snapshot);
    written = snapshot;
  }
  throw new Error(`the account differed at each of ${MAX_READS} reads`);
}

function isSame(one: AccountSnapshot, other: AccountSnapshot | null): boolean {
  return one.paymentsEnabled === other?.paymentsEnabled && one.bankDebitsEnabled === other.bankDebitsEnabled;
}
