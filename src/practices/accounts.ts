import type { Scope } from '../base/scope.ts';
import { Practice } from './practice.entity.ts';

/** Abilities of a practice's account at the processor. The processor reports them at onboarding and at each change. */
export interface AccountAbilities {
  paymentsEnabled: boolean;
  bankDebitsEnabled: boolean;
}

/** Returns true if the account belongs to one of our practices. */
export async function knowsAccount(scope: Scope, accountId: string): Promise<boolean> {
  return (await scope.em.count(Practice, { processorAccountId: accountId })) > 0;
}

/** Records the abilities of an account, with effect at the next request. Ignores an account that is not ours. */
export async function recordAbilities(scope: Scope, accountId: string, abilities: AccountAbilities): Promise<void> {
  await scope.em.nativeUpdate(Practice, { processorAccountId: accountId }, { ...abilities });
}

/** Records the practice's account at the processor. */
export async function assignAccount(scope: Scope, practice: Practice, accountId: string): Promise<void> {
  practice.processorAccountId = accountId;
  await scope.em.flush();
}
