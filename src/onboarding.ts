import type { Scope } from './base/scope.ts';
import { linkAccount, recordAccount } from './practices/accounts.ts';
import { getPractice } from './practices/service.ts';
import { practiceView } from './practices/views.ts';
import type { Processor } from './processors/processor.ts';

/**
 * Gives a practice its account at the processor, once, and says where its administrator finishes onboarding. Null when
 * there is nothing left to do: payments are then enabled as far as the processor enables them.
 */
export async function onboard(scope: Scope, processor: Processor, practiceId: string) {
  const practice = await getPractice(scope, practiceId);
  const { id, name, adminEmail } = practice;
  const account =
    practice.processorAccountId === null
      ? await processor.accounts.create({ id, name, adminEmail })
      : { id: practice.processorAccountId };
  await linkAccount(scope, practice, account.id);
  const onboardingUrl = await processor.accounts.onboardingLink(account, scope.publicUrl);
  await recordAccount(scope, account.id, await processor.accounts.retrieve(account));
  await scope.em.refresh(practice);
  return { ...practiceView(practice), processorAccountId: account.id, onboardingUrl };
}
