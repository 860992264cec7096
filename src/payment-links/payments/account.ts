import { isDeepStrictEqual } from 'node:util';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { getPractice } from '../../practices/find.ts';
import { Practice } from '../../practices/practice.entity.ts';
import type { Account, AccountSnapshot, Processor } from '../../processors/processor.ts';

/**
 * Creates the practice's account at the processor, once, and records its abilities. The sandbox's implied account is not recorded,
 * because another processor does not know it.
 * @returns the practice with its account, and the address at which it finishes onboarding; null if nothing is left to do
 * @throws ApiError `not_found`; ProcessorUnavailable
 */
export async function openAccount(scope: Scope, processor: Processor, practiceId: string, returnUrl: string) {
  const practice = await getPractice(scope, practiceId);
  const { id, name, adminEmail } = practice;
  const impliedAccount = processor.accounts.implied(id);
  if (impliedAccount !== null) {
    scope.em.assign(practice, await processor.accounts.retrieve(impliedAccount));
    await scope.em.flush();
    return { practice, account: impliedAccount, onboardingUrl: null };
  }
  const account =
    practice.processorAccountId === null
      ? await processor.accounts.create({ id, name, adminEmail })
      : { id: practice.processorAccountId };
  practice.processorAccountId = account.id;
  await scope.em.flush();
  const onboardingUrl = await processor.accounts.onboardingLink(account, returnUrl);
  await syncAccount(scope, processor, account);
  await scope.em.refresh(practice);
  return { practice, account, onboardingUrl };
}

/** An account hardly changes twice during its reads. */
const MAX_READS = 5;

/**
 * Records the abilities of an account, and asks again until the answer equals the record: no older answer of another process may stay.
 * @throws ProcessorUnavailable; an error if the account differs at every read
 */
export async function syncAccount(scope: Scope, processor: Processor, account: Account): Promise<void> {
  let record: AccountSnapshot | null = null;
  for (let read = 0; read < MAX_READS; read++) {
    const snapshot = await processor.accounts.retrieve(account);
    if (isDeepStrictEqual(snapshot, record)) return;
    await fresh(scope).em.nativeUpdate(Practice, { processorAccountId: account.id }, { ...snapshot });
    record = snapshot;
  }
  throw new Error(`the account differed at each of ${MAX_READS} reads`);
}
