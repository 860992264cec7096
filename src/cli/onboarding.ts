import type { Scope } from '../base/scope.ts';
import { ONBOARDED_PATH } from '../pages/routes.ts';
import { syncAccount } from '../payment-links/reconcile/account.ts';
import { linkAccount } from '../practices/accounts.ts';
import { getPractice } from '../practices/find.ts';
import { practiceView } from '../practices/views.ts';
import type { Processor } from '../processors/processor.ts';

/**
 * Creates the practice's account at the processor, once. Returns the practice with the URL at which its administrator
 * finishes onboarding; null if nothing is left to do. At the sandbox each practice has an implied account, which is not
 * recorded, because another processor does not know it.
 */
export async function onboard(scope: Scope, processor: Processor, practiceId: string) {
  const practice = await getPractice(scope, practiceId);
  const { id, name, adminEmail } = practice;
  const implied = processor.accounts.implied(id);
  if (implied !== null) {
    scope.em.assign(practice, await processor.accounts.retrieve(implied));
    await scope.em.flush();
    return { ...practiceView(practice), processorAccountId: implied.id, onboardingUrl: null };
  }
  const account =
    practice.processorAccountId === null
      ? await processor.accounts.create({ id, name, adminEmail })
      : { id: practice.processorAccountId };
  await linkAccount(scope, practice, account.id);
  const onboardingUrl = await processor.accounts.onboardingLink(account, `${scope.publicUrl}${ONBOARDED_PATH}`);
  await syncAccount(scope, processor, account);
  await scope.em.refresh(practice);
  return { ...practiceView(practice), processorAccountId: account.id, onboardingUrl };
}
