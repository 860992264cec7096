import type { Scope } from '../base/scope.ts';
import { Practice } from './practice.entity.ts';

/** What a practice's account at the processor can do; the processor says so, at onboarding and whenever it changes. */
export interface AccountAbilities {
  paymentsEnabled: boolean;
  bankDebitsEnabled: boolean;
}

/** Whether the account is one of our practices'. */
export async function knowsAccount(scope: Scope, accountId: string): Promise<boolean> {
  return (await scope.em.count(Practice, { processorAccountId: accountId })) > 0;
}

/** Writes down what an account can do by now; nothing for one that is not ours. Effective at the next request. */
export async function recordAccount(scope: Scope, accountId: string, abilities: AccountAbilities): Promise<void> {
  await scope.em.nativeUpdate(Practice, { processorAccountId: accountId }, { ...abilities });
}

/** Gives a practice its account at the processor. */
export async function linkAccount(scope: Scope, practice: Practice, accountId: string): Promise<void> {
  practice.processorAccountId = accountId;
  await scope.em.flush();
}
