import { ONBOARDED_PATH } from '../../patient-pages/routes.ts';
import { openAccount } from '../../payment-links/payments/account.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { practiceView } from '../../practices/views.ts';
import type { Processor } from '../../processors/processor.ts';

/** Opens the practice's account at the processor, and returns the practice with the URL at which onboarding goes on. */
export async function onboard(scope: Scope, processor: Processor, practiceId: string) {
  const returnUrl = `${scope.publicUrl}${ONBOARDED_PATH}`;
  const { practice, account, onboardingUrl } = await openAccount(scope, processor, practiceId, returnUrl);
  return { ...practiceView(practice), processorAccountId: account.id, onboardingUrl };
}
