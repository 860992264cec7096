import type { Scope } from '../../base/scope.ts';
import { assignAccount } from '../../practices/accounts.ts';
import { getPractice } from '../../practices/find.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import type { Account, Processor } from '../../processors/processor.ts';
import { syncAccount } from './sync-account.ts';

/** A practice with its account, and the address at which it finishes onboarding. */
export interface OpenedAccount {
  practice: Practice;
  account: Account;
  /** Null if nothing is left to do. */
  onboardingUrl: string | null;
}

/**
 * Creates the practice's account at the processor, once, and records its abilities. At the sandbox each practice has an
 * implied account, which is not recorded, because another processor does not know it.
 *
 * @param returnUrl address to which the processor sends the person back
 * @throws ApiError `not_found`; ProcessorUnavailable
 */
export async function openAccount(
  scope: Scope,
  processor: Processor,
  practiceId: string,
  returnUrl: string,
): Promise<OpenedAccount> {
  const practice = await getPractice(scope, practiceId);
  const { id, name, adminEmail } = practice;
  const implied = processor.accounts.implied(id);
  if (implied !== null) {
    scope.em.assign(practice, await processor.accounts.retrieve(implied));
    await scope.em.flush();
    return { practice, account: implied, onboardingUrl: null };
  }
  const account =
    practice.processorAccountId === null
      ? await processor.accounts.create({ id, name, adminEmail })
      : { id: practice.processorAccountId };
  await assignAccount(scope, practice, account.id);
  const onboardingUrl = await processor.accounts.onboardingLink(account, returnUrl);
  await syncAccount(scope, processor, account);
  await scope.em.refresh(practice);
  return { practice, account, onboardingUrl };
}
